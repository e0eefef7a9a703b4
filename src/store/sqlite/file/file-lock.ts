// A lock between processes, on a file that is always empty: the operating system takes it back when its process ends,
// however that ends. The file stays; it says nothing by being there.

import { DatabaseSync } from "node:sqlite";
import { requireUsable } from "../../../files/present.ts";
import { isBusy } from "../connection.ts";
import { makePrivateFile } from "./private-file.ts";

export interface FileLock {
  /** Does nothing if it is released already. */
  release(): void;
}

/** Undefined if somebody else holds it, in this process or in another. Throws FileError if this user may not use the file. */
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
