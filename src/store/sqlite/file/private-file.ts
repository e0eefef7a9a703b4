// Makes files and folders that only their owner can read. Never opens a file that exists already, nor follows a link that
// somebody has put in its place.

import { closeSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { explainCreation } from "../../../files/present.ts";
import { syncFolder } from "../../../files/own-file.ts";
import { makePrivateFolder } from "../../../files/private-folder.ts";

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

/** Makes the file, empty. Throws if anything has that name, links included, so that none is followed. */
export function makeNewPrivateFile(path: string): void {
  closeSync(openSync(path, "wx", 0o600));
}

/** Copies the content alone: a copy by the system would take over who may read the file. The target has to be new. */
export function copyContent(from: string, to: string): void {
  const [source, target] = [openSync(from, "r"), openSync(to, "r+")];
  try {
    const part = Buffer.allocUnsafe(1_024 * 1_024);
    for (let length = readSync(source, part); length > 0; length = readSync(source, part)) {
      for (let written = 0; written < length;) {
        written += writeSync(target, part, written, length - written);
      }
    }
    fsyncSync(target);
  } finally {
    closeSync(source);
    closeSync(target);
  }
}

/** Not for a file that SQLite has open in this process: to close it would drop every lock on it (POSIX). */
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
  syncFolder(dirname(path));
}
