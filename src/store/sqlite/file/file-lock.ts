// A lock between processes, on a file that is always empty: the operating system releases it when its process ends in
// any way. The file stays; its existence means nothing.

import { DatabaseSync } from "node:sqlite";
import { requireUsable } from "../../../files/present.ts";
import { isBusy } from "../connection.ts";
import { makePrivateFile } from "./private-file.ts";

export interface FileLock {
  /** Does nothing if the lock is released already. */
  release(): void;
}

/** Undefined if it is held already, by this process or another. Throws FileError if this user may not use the file. */
export function tryFileLock(path: string): FileLock | undefined {
  makePrivateFile(path);
  requireUsable(path, "The lock file");
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return {
    release: () => {
      if (lock.isOpen) lock.close();
    },
  };
}
