// The WAL as a file: checkpoints all of it and truncates it.

import { statSync } from "node:fs";
import { StoreError } from "../../store-error.ts";
import type { Connection } from "../connection.ts";
import { releasePins } from "./wal-pin.ts";

/** Writers wait for as long; whoever needs more time has to ask again. */
const readersWaitMs = 25;

/** Throws StoreError if another process has been reading from the WAL for a while; trying again later works. */
export function truncateWal(connection: Connection): void {
  connection.exec(`PRAGMA busy_timeout = ${readersWaitMs}`);
  try {
    const row = connection.get<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)");
    if (row?.busy !== 0) throw stillRead(connection.path);
  } finally {
    connection.exec("PRAGMA busy_timeout = 5000");
  }
}

/** How long the writer, and with it all who write, waits for those who read from the WAL. */
const restartWaitMs = 5;

/**
 * Copies what checkpoints beside the writer have left, so that the next write begins the WAL anew. Where somebody still
 * reads from it, it goes on growing until the next time.
 */
export function endCheckpoint(connection: Connection): void {
  connection.exec(`PRAGMA busy_timeout = ${restartWaitMs}`);
  try {
    connection.get("PRAGMA wal_checkpoint(RESTART)");
  } finally {
    connection.exec("PRAGMA busy_timeout = 5000");
  }
}

/** To be called with the right to write, so that it stays so. */
export function requireEmptyWal({ path }: Connection): void {
  const wal = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (wal !== undefined && wal.size > 0) throw stillRead(path);
}

export function stillRead(path: string): StoreError {
  return new StoreError(
    `Another process is reading or writing the store ${path}, so its WAL can't be emptied yet.`,
  );
}

/** Truncates the WAL if nobody else reads it, and closes. */
export function closeWriter(connection: Connection): void {
  releasePins(connection);
  try {
    truncateWal(connection);
  } catch (error) {
    // What is in the WAL is as durable there; the next to open the store brings it back.
    if (!(error instanceof StoreError)) throw error;
  } finally {
    connection.close();
  }
}
