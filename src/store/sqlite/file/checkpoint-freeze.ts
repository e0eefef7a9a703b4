// Freezes checkpoints: the database file does not change, and new writes stay in the WAL. So the file can be read, and
// its free space scrubbed, without a lock that a writer would wait for.
//
// A read transaction that begins on an empty WAL reads only from the file, so no process may checkpoint the WAL until
// it ends (WAL_READ_LOCK(0) in wal.c), and a WAL that is not checkpointed is not restarted. A read transaction that
// begins on a WAL with frames keeps the WAL from being restarted, but not from being checkpointed.

import { statSync } from "node:fs";
import { StoreError } from "../../interface/store-error.ts";
import { type Connection, openReader } from "../connection.ts";
import { emptyWalPosition, type WalPart, type WalPosition, readWalPages } from "./wal-pages.ts";

/** Writers wait this long as well, so a caller that needs more time has to try again. */
const readersWaitMs = 25;

/** Throws StoreError if another process keeps reading from the WAL; the caller can try again later. */
export function truncateWal(connection: Connection): void {
  connection.exec(`PRAGMA busy_timeout = ${readersWaitMs}`);
  try {
    const row = connection.get<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)");
    if (row?.busy !== 0) throw stillRead(connection.path);
  } finally {
    connection.exec("PRAGMA busy_timeout = 5000");
  }
}

/** How long the writer, and with it all writes, waits for readers of the WAL. */
const restartWaitMs = 5;

/** So the next write restarts the WAL; if somebody still reads from it, it grows until the next call. */
export function restartCheckpoint(connection: Connection): void {
  connection.exec(`PRAGMA busy_timeout = ${restartWaitMs}`);
  try {
    connection.get("PRAGMA wal_checkpoint(RESTART)");
  } finally {
    connection.exec("PRAGMA busy_timeout = 5000");
  }
}

/** Call while holding the write lock, so that the WAL stays empty. */
export function requireEmptyWal({ path }: Connection): void {
  const wal = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (wal !== undefined && wal.size > 0) throw stillRead(path);
}

export function stillRead(path: string): StoreError {
  return new StoreError(
    `Another process is reading or writing the store ${path}, so its WAL can't be emptied yet.`,
    { isTemporary: true },
  );
}

/** Truncates the WAL if nobody else reads it, and closes. */
export function closeWriter(connection: Connection): void {
  releaseCheckpoints(connection);
  try {
    truncateWal(connection);
  } catch (error) {
    // The WAL is just as durable; the next process to open the store recovers it.
    if (!(error instanceof StoreError)) throw error;
  } finally {
    connection.close();
  }
}

/** The open pins of each connection that writes. */
const pins = new WeakMap<Connection, readonly Connection[]>();

const anyRow = `SELECT value FROM meta WHERE name = 'schema_version'`;

/** Replaces earlier pins, without a gap in between. */
export function pinWal(connection: Connection): void {
  const before = pins.get(connection) ?? [];
  const pin = openReader(connection.path);
  pins.set(connection, [...before, pin]);
  pin.run("BEGIN");
  pin.get(anyRow);
  pins.set(connection, [pin]);
  for (const earlier of before) earlier.close();
}

export function releaseCheckpoints(connection: Connection): void {
  const open = pins.get(connection) ?? [];
  pins.delete(connection);
  for (const pin of open) pin.close();
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
  releaseCheckpoints(connection);
  truncateWal(connection);
  pinWal(connection);
  requireAlone(connection, version);
  return part === undefined ? undefined : { position: emptyWalPosition, pages: part.pages };
}

/** Changes whenever another connection, in any process, commits. */
export function readDataVersion(connection: Connection): number {
  return connection.get<{ data_version: number }>("PRAGMA data_version")?.data_version ?? 0;
}

/** Throws StoreError if another connection has committed since: the WAL and the file may contain more. */
export function requireAlone(connection: Connection, version: number): void {
  if (readDataVersion(connection) !== version) throw stillRead(connection.path);
}
