// A lock between processes, on a file that is always empty: the operating system takes it back when its process ends,
// however that ends. The file stays; it says nothing by being there.

import { DatabaseSync } from "node:sqlite";
import { isBusy } from "./connection.ts";
import { makePrivateFile } from "./private-file.ts";

export interface FileLock {
  release(): void;
}

/** Undefined if somebody else holds it, in this process or in another. Throws what the file system says. */
export function tryFileLock(path: string): FileLock | undefined {
  makePrivateFile(path);
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return { release: () => lock.close() };
}
