// Keeps the database file as it is for a while, though others write on: what they write stays in the WAL. So the file can be
// looked at, and unused places in it scrubbed, at leisure and without a lock that a writer would wait for.
//
// How: a read transaction that begins on an empty WAL reads from the file alone, so nobody, in any process, may checkpoint the
// WAL until it ends (WAL_READ_LOCK(0) in wal.c); and a WAL of which nothing was brought in is not begun anew.
// One that begins on a WAL with something in it keeps the WAL from being begun anew, but not from being brought in.

import type { Connection } from "../connection.ts";
import { truncateWal, stillRead } from "./wal-checkpoint.ts";
import { addPin, releasePins } from "./wal-pin.ts";
import { emptyWalPosition, type WalPart, type WalPosition, readWalPages } from "./wal-pages.ts";

/** From now on until checkpoints are frozen or released, the WAL only grows. */
export function pinWal(connection: Connection): void {
  addPin(connection);
}

export interface FreezeOptions {
  /** Up to where the WAL was read; undefined if that does not matter. */
  readonly position: WalPosition | undefined;
}

/**
 * Checkpoints the WAL and freezes checkpoints. Gives what came into the WAL after `position`; undefined if that is not known.
 * Throws StoreError if another process is reading from the WAL or writing; trying again later works.
 */
export function freezeCheckpoints(
  connection: Connection,
  { position }: FreezeOptions,
): WalPart | undefined {
  const version = readDataVersion(connection);
  const part = position === undefined ? undefined : readWalPages(connection.path, position);
  releasePins(connection);
  truncateWal(connection);
  addPin(connection);
  requireAlone(connection, version);
  return part === undefined ? undefined : { position: emptyWalPosition, pages: part.pages };
}

export function releaseCheckpoints(connection: Connection): void {
  releasePins(connection);
}

/** Changes when another connection, in any process, has committed something. */
export function readDataVersion(connection: Connection): number {
  return connection.get<{ data_version: number }>("PRAGMA data_version")?.data_version ?? 0;
}

/** Throws StoreError if another connection has written since; then what is in the WAL or in the file is not known. */
export function requireAlone(connection: Connection, version: number): void {
  if (readDataVersion(connection) !== version) throw stillRead(connection.path);
}
