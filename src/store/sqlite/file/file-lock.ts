// Locks between processes, on files that are always empty: the operating system releases a lock when its process ends
// in any way. The file stays; its existence means nothing. One of them is the exclusive right to serve a store.

import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { FileError } from "../../../files/file-error.ts";
import { explainOpening, requireUsable } from "../../../files/present.ts";
import { isBusy, describeFailure } from "../failure.ts";
import { makePrivateFile } from "./private-file.ts";
import { StoreError } from "../../interface/store-error.ts";

export interface FileLock {
  /** Does nothing if the lock has already been released. */
  release(): void;
}

/** Undefined if this process or another one already holds it. Throws FileError if this user may not use the file. */
export function tryFileLock(path: string): FileLock | undefined {
  makePrivateFile(path);
  requireUsable(path, "The lock file");
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(path, { timeout: 0 });
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    lock?.close();
    if (isBusy(error)) return undefined;
    throw explainLocking(error, path);
  }
  const held = lock;
  return {
    release: () => {
      if (held.isOpen) held.close();
    },
  };
}

function explainLocking(cause: unknown, path: string): FileError {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) {
    return explainOpening(cause, "The lock file", path);
  }
  return new FileError(
    `The lock file ${path} can't be used: it is not empty, and Sluice never writes to it. Find out what wrote to it; then ` +
      "stop all processes of Sluice that use this folder, and remove the file.",
    { cause },
  );
}

export type ServingRight = FileLock;

/** A command that closes the store, or removes what a restore has left, holds the right for a moment. */
const triesMax = 10;
const pauseMs = 20;

/** Throws StoreError if another process, or another part of this one, serves the store. */
export function takeServingRight(databasePath: string): ServingRight {
  let right = tryServingRight(databasePath);
  for (let tries = 0; right === undefined && tries < triesMax; tries += 1) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    right = tryServingRight(databasePath);
  }
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
