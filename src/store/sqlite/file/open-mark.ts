// The mark in the database file that says whether the store was closed since it was last written: the user version in
// the header. A file that was not closed needs its WAL. If there is none, somebody has copied or moved the file alone,
// and the newest records are missing.
//
// The mark is set by the first transaction that finds it cleared, and is in the file itself before that transaction is
// answered. It is cleared in the WAL, by whoever closes the store while nobody serves it, before SQLite checkpoints and
// removes the WAL. So a crash at any moment leaves either the WAL, or a file whose mark is cleared.

import { readSync } from "node:fs";
import { statOf } from "../../../files/present.ts";
import { StoreError } from "../../interface/store-error.ts";
import { type Connection, isMarkedOpen, openMark } from "../connection.ts";
import { SharedDescriptor } from "../erase/descriptor.ts";

/** In the header of the file (sqlite.org/fileformat2.html#user_version_number). */
const markOffset = 60;

/** Call in a transaction; if it returns true, call `bringMarkIntoFile` after the commit. */
export function markOpen(connection: Connection): boolean {
  if (isMarkedOpen(connection)) return false;
  connection.exec(`PRAGMA user_version = ${openMark}`);
  return true;
}

/** Someone who reads an older snapshot meanwhile can delay this until the next checkpoint. */
export function bringMarkIntoFile(connection: Connection): void {
  connection.get("PRAGMA wal_checkpoint(PASSIVE)");
}

/** Call before a store is served. The first checkpoint, which pins the WAL, brings the mark into the file. */
export function markServed(connection: Connection): void {
  connection.exec(`PRAGMA user_version = ${openMark}`);
}

/** Requires the right to serve, or another process that serves would no longer be marked. */
export function markClosed(connection: Connection): void {
  connection.exec("PRAGMA user_version = 0");
}

/** The mark in the file, whatever the WAL contains. */
export function isFileMarkedOpen(descriptor: number): boolean {
  const bytes = Buffer.alloc(4);
  return readSync(descriptor, bytes, 0, 4, markOffset) === 4 && bytes.readUInt32BE() === openMark;
}

/** Throws StoreError for a file that was not closed and has no WAL beside it. Call before SQLite creates one. */
export function refuseCopiedAlone(path: string): void {
  if (!isCopiedAlone(path)) return;
  throw new StoreError(
    `The store ${path} was copied or moved without its WAL while it was in use: the file was not closed, and there is no ` +
      `${path}-wal. The newest records are missing, and what was erased last may be back, unless another program, such as ` +
      "sqlite3, has removed the WAL because it was the last to close the store. Put the WAL beside it, or restore a " +
      "backup. If neither exists, stop all processes of Sluice, move the file to another folder, and run `sluice restore FILE " +
      "--incomplete` with it, which accepts the loss.",
  );
}

function isCopiedAlone(path: string): boolean {
  const descriptor = new SharedDescriptor(path);
  try {
    const isAlone = () =>
      statOf(`${path}-wal`, "The WAL") === undefined && isFileMarkedOpen(descriptor.get());
    // Another process may have begun to use the store in between.
    return isAlone() && isAlone();
  } finally {
    descriptor.release();
  }
}
