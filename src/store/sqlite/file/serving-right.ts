// The exclusive right to serve a store: a lock that the operating system releases when the process ends in any way. The
// empty lock file stays; its existence means nothing.

import { StoreError } from "../../interface/store-error.ts";
import { describeFailure } from "../connection.ts";
import { type FileLock, tryFileLock } from "./file-lock.ts";

export type ServingRight = FileLock;

/** Throws StoreError at once if another process, or another part of this one, serves the store. */
export function takeServingRight(databasePath: string): ServingRight {
  const right = tryServingRight(databasePath);
  if (right !== undefined) return right;
  throw new StoreError(
    `The store ${databasePath} is being served by another process (the lock is ${servingLockOf(databasePath)}). ` +
      "Stop that one first, or name another file in DATABASE_URL.",
  );
}

/** Undefined if the store is being served, restored or moved. Throws StoreError if the lock can't be used. */
export function tryServingRight(databasePath: string): ServingRight | undefined {
  try {
    return tryFileLock(servingLockOf(databasePath));
  } catch (cause) {
    throw describeFailure(databasePath, cause);
  }
}

function servingLockOf(databasePath: string): string {
  return `${databasePath}.serving`;
}
