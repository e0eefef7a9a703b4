// Freezes checkpoints: the database file does not change, and new writes stay in the WAL. So the file can be read, and
// its free space scrubbed, without a lock that a writer would wait for.
//
// A read transaction that begins on an empty WAL reads only from the file, so no process may checkpoint the WAL until
// it ends (WAL_READ_LOCK(0) in wal.c), and a WAL that is not checkpointed is not restarted. A read transaction that
// begins on a WAL with frames keeps the WAL from being restarted, but not from being checkpointed.
//
// Other steps of the writer keep track of every page that is written, from one WAL to the next and from one process to
// the next. Such a step returns undefined if something may have been missed; then the whole file has to be scrubbed.

import { statSync } from "node:fs";
import { StoreError } from "../../interface/store-error.ts";
import { readVersion } from "../../sql/migrations.ts";
import { type Connection, openReader, transaction } from "../connection.ts";
import {
  emptyWalPosition,
  type WalPart,
  type WalPosition,
  readWalPages,
  findWalStart,
} from "./wal-pages.ts";
import { inodeOf, lastingStateOf, readMark, removeMark, stateOf } from "./scrub-mark.ts";
import { writeSomething } from "./write-probe.ts";

/** Writers wait this long as well, so a caller that needs more time has to try again. */
const readersWaitMs = 25;

/** Throws StoreError if another process keeps reading from the WAL; the caller can try again later. */
export function truncateWal(connection: Connection): void {
  const row = checkpoint(connection, "TRUNCATE", readersWaitMs);
  if (row?.busy !== 0) throw stillRead(connection.path);
}

/** How long the writer, and with it all writes, waits for readers of a WAL that is to be restarted. */
const restartWaitMs = 5;

function checkpoint(connection: Connection, kind: "RESTART" | "TRUNCATE", waitMs: number) {
  connection.exec(`PRAGMA busy_timeout = ${waitMs}`);
  try {
    return connection.get<{ busy: number }>(`PRAGMA wal_checkpoint(${kind})`);
  } finally {
    connection.exec("PRAGMA busy_timeout = 5000");
  }
}

/** Call while holding the write lock, so that the WAL stays empty. */
export function requireEmptyWal({ path }: Connection): void {
  if (walBytes(path) > 0) throw stillRead(path);
}

function stillRead(path: string): StoreError {
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

/** The open pin of each connection that writes. */
const pins = new WeakMap<Connection, Connection>();

/** A read transaction. */
export function openPin(path: string): Connection {
  const pin = openReader(path);
  try {
    pin.run("BEGIN");
    pin.get(readVersion);
    return pin;
  } catch (error) {
    pin.close();
    throw error;
  }
}

/** Replaces earlier pins, without a gap in between. */
export function pinWal(connection: Connection): void {
  const before = pins.get(connection);
  pins.set(connection, openPin(connection.path));
  before?.close();
}

export function releaseCheckpoints(connection: Connection): void {
  const pin = pins.get(connection);
  pins.delete(connection);
  pin?.close();
}

interface FreezeOptions {
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

interface Unscrubbed {
  /** The start of a WAL, or the position up to which it was read. */
  readonly position: WalPosition;
  /** The bits of a NumberSet: what was written before. */
  readonly pages: Uint8Array;
}

interface ResumedMark extends Unscrubbed {
  /** Whether the file of the mark says the same: true for the mark of a killed process whose WAL continues. */
  readonly isSaved: boolean;
}

/** What the mark of an earlier process proves about the file and its WAL. Call before this process writes. */
export function resumeMark(connection: Connection): ResumedMark | undefined {
  const { path } = connection;
  const mark = readMark(path);
  if (mark === undefined) return undefined;
  const { file, generation, pages } = mark;
  if (generation !== undefined) {
    const isSame = findWalStart(path).generation === generation && inodeOf(path) === file;
    return isSame ? { position: { generation, frames: 0 }, pages, isSaved: true } : undefined;
  }
  const version = readDataVersion(connection);
  const isSame = transaction(connection, () => {
    // Nobody else can write now, and there is nothing to checkpoint.
    if (walBytes(path) > 0 || stateOf(path) !== file) return false;
    removeMark(path);
    writeSomething(connection);
    return true;
  });
  const position = findWalStart(path);
  if (!isSame || readDataVersion(connection) !== version) return undefined;
  return { position, pages, isSaved: false };
}

interface WalRestart {
  readonly position: WalPosition;
  readonly pages: readonly number[];
}

/** Returns the pages after `position`, and the start of the next WAL, or of this one if somebody still reads it. */
export function restartWal(
  connection: Connection,
  { position }: FreezeOptions,
): WalRestart | undefined {
  const { path } = connection;
  const version = readDataVersion(connection);
  const part = position === undefined ? undefined : readWalPages(path, position);
  releaseCheckpoints(connection);
  // So the next write restarts the WAL; if somebody still reads from it, it grows until the next call.
  checkpoint(connection, "RESTART", restartWaitMs);
  if (part === undefined || position === undefined) return undefined;
  // This writes the first frames of the next WAL, which show its salts before anybody else can restart it.
  transaction(connection, () => writeSomething(connection));
  const next = findWalStart(path);
  if (readDataVersion(connection) !== version) return undefined;
  if (next.generation === position.generation) return { position, pages: [] };
  return { position: next, pages: part.pages };
}

/** Returns the start of the WAL, which contains all that was written since checkpoints were frozen, by anybody. */
export function beginWal(connection: Connection): WalPosition {
  transaction(connection, () => writeSomething(connection));
  return findWalStart(connection.path);
}

interface SettledFile {
  readonly file: string;
  readonly pages: readonly number[];
}

/** Checkpoints the WAL before the store is closed. Returns the pages after `position`, and the state of the file. */
export function settleWal(
  connection: Connection,
  { position }: { readonly position: WalPosition },
): SettledFile | undefined {
  const { path } = connection;
  const version = readDataVersion(connection);
  const part = readWalPages(path, position);
  if (part === undefined) return undefined;
  releaseCheckpoints(connection);
  truncateWal(connection);
  return transaction(connection, () => {
    requireEmptyWal(connection);
    requireAlone(connection, version);
    const file = lastingStateOf(path);
    return file === undefined ? undefined : { file, pages: part.pages };
  });
}

export function walBytes(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
