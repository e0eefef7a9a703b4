// Freezes checkpoints: the database file does not change, and new writes stay in the WAL. So the file can be read, and
// its free space scrubbed, without a lock that a writer would wait for.
//
// A read transaction that begins on an empty WAL reads only from the file, so no process may checkpoint the WAL until
// it ends (WAL_READ_LOCK(0) in wal.c), and a WAL that is not checkpointed is not restarted. A read transaction that
// begins on a WAL with frames keeps the WAL from being restarted, but not from being checkpointed.

import type { Connection } from "../connection.ts";
import { truncateWal, stillRead, addPin, releasePins } from "./wal-checkpoint.ts";
import { emptyWalPosition, type WalPart, type WalPosition, readWalPages } from "./wal-pages.ts";

/** The WAL only grows until checkpoints are frozen or released. */
export function pinWal(connection: Connection): void {
  addPin(connection);
}

export interface FreezeOptions {
  /** Up to where the WAL was read; undefined if that does not matter. */
  readonly position: WalPosition | undefined;
}

/**
 * Checkpoints the WAL and freezes checkpoints. Returns the part of the WAL after `position`; undefined if that is not
 * known. Throws StoreError if another process is reading from the WAL or writing; the caller can try again later.
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

/** Changes whenever another connection, in any process, commits. */
export function readDataVersion(connection: Connection): number {
  return connection.get<{ data_version: number }>("PRAGMA data_version")?.data_version ?? 0;
}

/** Throws StoreError if another connection has committed since: the WAL and the file may contain more. */
export function requireAlone(connection: Connection, version: number): void {
  if (readDataVersion(connection) !== version) throw stillRead(connection.path);
}
