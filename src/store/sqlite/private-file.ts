// Makes files and folders that only their owner can read. Never opens a file that exists already.

import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";

/** Makes the file, empty, and its folder, unless they are there. */
export function makePrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(path, "ax", 0o600));
  } catch (error) {
    // To open an existing file and close it again would drop every lock that this process holds on it (POSIX).
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
