// Checkpoints the whole WAL, and truncates or restarts it; and read transactions, the pins, that keep it from being
// checkpointed or restarted. What a pin reads does not matter; checkpoint-freeze.ts explains their purpose.

import { statSync } from "node:fs";
import { StoreError } from "../../interface/store-error.ts";
import { type Connection, openReader } from "../connection.ts";

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
  releasePins(connection);
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
export function addPin(connection: Connection): void {
  const before = pins.get(connection) ?? [];
  const pin = openReader(connection.path);
  pins.set(connection, [...before, pin]);
  pin.run("BEGIN");
  pin.get(anyRow);
  pins.set(connection, [pin]);
  for (const earlier of before) earlier.close();
}

export function releasePins(connection: Connection): void {
  const open = pins.get(connection) ?? [];
  pins.delete(connection);
  for (const pin of open) pin.close();
}
