// Keeps the database file as it is for a while, though others write on: what they write stays in the log. So the file can be
// looked at, and unused places in it wiped, at leisure and without a lock that a writer would wait for.
//
// How: a read transaction that begins on an empty log reads from the file alone, so nobody, in any process, may bring the
// log into the file until it ends (WAL_READ_LOCK(0) in wal.c); and a log of which nothing was brought in is not begun anew.
// One that begins on a log with something in it keeps the log from being begun anew, but not from being brought in.

import type { Connection } from "./connection.ts";
import { emptyLog, stillRead } from "./log-file.ts";
import { keep, release } from "./log-keeper.ts";
import { emptyLogPlace, type LogPart, type LogPlace, readLogPages } from "./log-pages.ts";

/** From now on until the file is frozen or released, the log only grows. */
export function keepLog(connection: Connection): void {
  keep(connection);
}

export interface Freezing {
  /** Up to where the log was read; undefined if that does not matter. */
  readonly place: LogPlace | undefined;
}

/**
 * Brings the log into the file and freezes it. Gives what came into the log after `place`; undefined if that is not known.
 * Throws StoreError if another process is reading from the log or writing; trying again later works.
 */
export function freezeFile(connection: Connection, { place }: Freezing): LogPart | undefined {
  const version = readDataVersion(connection);
  const part = place === undefined ? undefined : readLogPages(connection.path, place);
  release(connection);
  emptyLog(connection);
  keep(connection);
  requireAlone(connection, version);
  return part === undefined ? undefined : { place: emptyLogPlace, pages: part.pages };
}

export function releaseFile(connection: Connection): void {
  release(connection);
}

/** Changes when another connection, in any process, has committed something. */
export function readDataVersion(connection: Connection): number {
  return connection.get<{ data_version: number }>("PRAGMA data_version")?.data_version ?? 0;
}

/** Throws StoreError if another connection has written since; then what is in the log or in the file is not known. */
export function requireAlone(connection: Connection, version: number): void {
  if (readDataVersion(connection) !== version) throw stillRead(connection.path);
}
