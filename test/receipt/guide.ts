// Runs the program of the guide for auditors.

import { join } from "node:path";
import { inPython } from "../clients/subject.ts";

const program = join(import.meta.dirname, "../../docs/guides/verify.py");

/** What the program prints about the files. */
export function inGuide(...files: readonly string[]): Promise<string> {
  return inPython(program, ...files).then(
    ({ stdout }) => stdout,
    ({ stderr }: { readonly stderr: string }) => stderr,
  );
}
