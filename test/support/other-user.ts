// Denies files to the commands of a test as they are denied to another user of the machine: run by
// root, the commands are run as a user who owns nothing; run by anybody else, the files lose their
// mode.

import { spawnSync } from "node:child_process";
import { chmodSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Outcome } from "../cli/command-line.ts";
import { makeTempFolder } from "./temp-folder.ts";

const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const program = fileURLToPath(new URL("../cli/command-lines-process.ts", import.meta.url));
const user = isRoot ? { uid: nobody, gid: nobody } : {};
/** What Node compiles for that user, who can't write where it is kept for this one. */
const compiled = makeTempFolder();
chmodSync(compiled, 0o777);

/** False where that user can't even read the program, as in a checkout below root's own folder. */
export function canRunAsOther(): boolean {
  const words = ["-c", `test -r "${program}" && test -x "${process.execPath}"`];
  return spawnSync("/bin/sh", words, user).status === 0;
}

/**
 * The folders above `path`, down from `top`, are opened to everybody, and the path itself to its
 * owner only.
 */
export function denyToOthers(path: string, top: string): void {
  for (let folder = dirname(path); folder.startsWith(top); folder = dirname(folder)) {
    chmodSync(folder, statSync(folder).mode | 0o055);
  }
  chmodSync(path, isRoot ? 0o700 : 0);
}

/** Others may open the folder and read what is in it, but create nothing there. */
export function denyWritingToOthers(folder: string): void {
  chmodSync(folder, isRoot ? 0o755 : 0o555);
}

export function allowAgain(path: string): void {
  chmodSync(path, 0o700);
}

/** One outcome for each of the command lines, which are run sequentially in one process. */
export function runAsOther(
  lines: readonly (readonly string[])[],
  {
    environment,
    folder,
  }: { readonly environment: Readonly<Record<string, string>>; readonly folder: string },
): readonly Outcome[] {
  const { stdout, stderr } = spawnSync(process.execPath, [program, JSON.stringify(lines)], {
    ...user,
    cwd: folder,
    env: { NODE_COMPILE_CACHE: compiled, ...environment },
    encoding: "utf8",
  });
  if (stderr !== "") throw new Error(stderr);
  return JSON.parse(stdout) as readonly Outcome[];
}
