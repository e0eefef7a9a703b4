// The sole right to serve a store: a lock that the operating system takes back when the process ends, however it ends.
// The lock file stays behind, empty; it never holds anything and says nothing by being there.

import { DatabaseSync } from "node:sqlite";
import { requireUsable } from "../../files/present.ts";
import { StoreError } from "../store-error.ts";
import { describeFailure, isBusy } from "./connection.ts";
import { makePrivateFile } from "./private-file.ts";

export interface ServingRight {
  release(): void;
}

/** Throws StoreError at once if another process, or another part of this one, serves the store. */
export function takeServingRight(databasePath: string): ServingRight {
  const path = `${databasePath}.serving`;
  let lock: DatabaseSync | undefined;
  try {
    makePrivateFile(path);
    requireUsable(path, "The lock file");
    lock = new DatabaseSync(path, { timeout: 0 });
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (cause) {
    lock?.close();
    if (!isBusy(cause)) throw describeFailure(databasePath, cause);
    throw new StoreError(
      `The store ${databasePath} is being served by another process (the lock is ${path}). ` +
        "Stop that one first, or name another file in DATABASE_URL.",
      { cause },
    );
  }
  const held = lock;
  return { release: () => held.close() };
}
