// Makes files and folders that only their owner can read. Never opens a file that exists already.

import { closeSync, fsyncSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { explainCreation } from "../../files/present.ts";
import { makePrivateFolder } from "../../files/private-folder.ts";

/** Makes the file, empty, and its folder, unless they are there. Throws FileError. */
export function makePrivateFile(path: string): void {
  makePrivateFolder(dirname(path));
  try {
    closeSync(openSync(path, "ax", 0o600));
  } catch (error) {
    // To open an existing file and close it again would drop every lock that this process holds on it (POSIX).
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    if (!isThere) throw explainCreation(error, "The file", path);
  }
}

/** Not for a file that SQLite has open in this process, for the same reason. */
export function syncFile(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** So that a file that was made, renamed or removed there stays so. */
export function syncFolderOf(path: string): void {
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
