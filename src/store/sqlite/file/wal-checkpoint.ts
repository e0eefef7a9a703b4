// Checkpoints the whole WAL, and truncates or restarts it.

import { statSync } from "node:fs";
import { StoreError } from "../../interface/store-error.ts";
import type { Connection } from "../connection.ts";
import { releasePins } from "./wal-pin.ts";

/** Writers wait for this long as well, so a caller that needs more time has to try again. */
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

/**
 * Copies the frames that checkpoints beside the writer have left, so that the next write restarts the WAL. If somebody
 * still reads from it, it keeps growing until the next call.
 */
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
