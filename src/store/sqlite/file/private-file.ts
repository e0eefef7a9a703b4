// Creates files and folders that only their owner can read. Never creates a file through a link that somebody has put
// in its place.

import { fsyncSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../../../files/file-error.ts";
import { explainCreation } from "../../../files/present.ts";
import { openFile, syncFolder, writeOwnFile } from "../../../files/own-file.ts";
import { makePrivateFolder } from "../../../files/private-folder.ts";

/** Creates an empty file and its folder unless they exist. Throws FileError. */
export function makePrivateFile(path: string): void {
  makePrivateFolder(dirname(path));
  try {
    writeOwnFile(path, "");
  } catch (error) {
    // Opening and closing an existing file would release every lock that this process holds on it (POSIX).
    if (codeOf(error) !== "EEXIST") throw explainCreation(error, "The file", path);
  }
}

/** Copies only the content, because a copy by the system would also copy the permissions. The target must be new. */
export function copyContent(from: string, to: string): void {
  using source = openFile(from, "r");
  using target = openFile(to, "r+");
  const part = Buffer.allocUnsafe(1_024 * 1_024);
  const read = () => readSync(source.descriptor, part);
  for (let length = read(); length > 0; length = read()) {
    for (let written = 0; written < length;) {
      written += writeSync(target.descriptor, part, written, length - written);
    }
  }
  fsyncSync(target.descriptor);
}

/**
 * Must not be called for a file that SQLite has open in this process: closing it would release every lock on it
 * (POSIX).
 */
export function syncFile(path: string): void {
  using file = openFile(path, "r+");
  fsyncSync(file.descriptor);
}

/** Makes the creation, renaming or removal of a file in the folder durable. */
export function syncFolderOf(path: string): void {
  syncFolder(dirname(path));
}
