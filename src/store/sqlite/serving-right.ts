// The sole right to serve a store: a lock that the operating system takes back when the process ends, however it ends.
// The lock file stays behind, empty; it never holds anything and says nothing by being there.

import { StoreError } from "../store-error.ts";
import { describeFailure } from "./connection.ts";
import { type FileLock, tryFileLock } from "./file-lock.ts";

export type ServingRight = FileLock;

/** Throws StoreError at once if another process, or another part of this one, serves the store. */
export function takeServingRight(databasePath: string): ServingRight {
  const path = servingLockOf(databasePath);
  const right = tryServingRight(databasePath);
  if (right !== undefined) return right;
  throw new StoreError(
    `The store ${databasePath} is being served by another process (the lock is ${path}). ` +
      "Stop that one first, or name another file in DATABASE_URL.",
  );
}

/** Undefined if somebody serves the store, restores it or moves it. */
export function tryServingRight(databasePath: string): ServingRight | undefined {
  const path = servingLockOf(databasePath);
  try {
    return tryFileLock(path);
  } catch (cause) {
    throw describeFailure(path, cause);
  }
}

function servingLockOf(databasePath: string): string {
  return `${databasePath}.serving`;
}
