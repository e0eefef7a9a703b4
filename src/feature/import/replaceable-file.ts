// Checks that the file of refused rows may be written. A file of refused rows from an earlier import may be replaced;
// any other file may not, and an input never.

import { existsSync, readSync, statSync } from "node:fs";
import { openFile } from "../../files/own-file.ts";
import { statOf } from "../../files/present.ts";
import { bulkKeys } from "../../bulk/formats/bulk-keys.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import type { FilePaths } from "./file-paths.ts";

const headBytes = 1_024 * 1_024;

const marks: readonly string[] = [bulkKeys.row, bulkKeys.code, bulkKeys.reason];

/** Throws OperatorError before anything is imported or removed. */
export function requireReplaceable(paths: readonly FilePaths[]): void {
  const inputs = paths.map(({ file }) => file);
  for (const { refusedPath, statePath } of paths) {
    const input = inputs.find((file) => isSameFile(file, refusedPath));
    if (input !== undefined) {
      throw new OperatorError(
        "output",
        `The refused rows would replace the input ${input}. Name another file with --refused.`,
      );
    }
    // If there is a state file, it says how much of this file belongs to the import.
    if (existsSync(statePath) || !existsSync(refusedPath) || holdsRefusedRows(refusedPath))
      continue;
    throw new OperatorError(
      "output",
      `${refusedPath} exists and contains no refused rows, so it is not replaced. Name another file with --refused.`,
    );
  }
}

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statOf(path, "The file"));
  return first !== undefined && first.dev === second?.dev && first.ino === second.ino;
}

function holdsRefusedRows(path: string): boolean {
  if (!statSync(path).isFile()) return false;
  using file = openFile(path, "r");
  const bytes = Buffer.alloc(headBytes);
  const [line = ""] = bytes.toString("utf8", 0, readSync(file.descriptor, bytes)).split("\n");
  return line === "" || marks.every((mark) => line.includes(mark));
}
