// The steps of the writer that keep track of every page that is written, from one WAL to the next and from one process
// to the next. A step returns undefined if something may have been missed; then the whole file has to be scrubbed.

import { statSync } from "node:fs";
import { type Connection, transaction } from "../connection.ts";
import {
  type FreezeOptions,
  readDataVersion,
  requireAlone,
  requireEmptyWal,
  restartCheckpoint,
  truncateWal,
  releaseCheckpoints,
} from "./checkpoint-freeze.ts";
import { inodeOf, lastingStateOf, readMark, removeMark, stateOf } from "./scrub-mark.ts";
import { findWalStart, readWalPages, type WalPosition } from "./wal-pages.ts";
import { writeSomething } from "./write-probe.ts";

export interface Unscrubbed {
  /** The start of a WAL, or the position up to which it was read. */
  readonly position: WalPosition;
  /** The bits of a PageSet: what was written before. */
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

export interface WalRestart {
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
  restartCheckpoint(connection);
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

export interface SettledFile {
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

function walBytes(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
