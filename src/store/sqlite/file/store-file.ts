// Requires that the file of a store can have its WAL beside it, where every process that opens the store finds it, and
// that the WAL is there if the store was not closed since it was last written.
//
// The mark of an open store is the user version in the header of the file. A file that was not closed needs its WAL. If
// there is none, somebody has copied or moved the file alone, and the newest records are missing. The mark is set by
// the first transaction that finds it cleared, and is in the file itself before that transaction is answered. It is
// cleared in the WAL, by whoever closes the store while nobody serves it, before SQLite checkpoints and removes the
// WAL. So a crash at any moment leaves either the WAL, or a file whose mark is cleared.

import { readFileSync, type Stats, statSync, readSync, closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { statOf } from "../../../files/present.ts";
import { StoreError } from "../../interface/store-error.ts";
import { describeFailure } from "../failure.ts";
import { type Connection, isMarkedOpen, openMark } from "../connection.ts";
import { sluice } from "../../../basics/program-name.ts";

/** Undefined without a file. Throws StoreError if it is no regular file, is not accessible, or would lose its WAL. */
export function sizeOfStore(path: string): number | undefined {
  let stats: Stats | undefined;
  try {
    stats = statOf(path, "The store");
  } catch (cause) {
    throw describeFailure(path, cause);
  }
  const why = stats === undefined ? undefined : findMistake(path, stats);
  if (why === undefined) return stats?.size;
  throw new StoreError(`The store ${path} can't be opened: ${why}`);
}

function findMistake(path: string, stats: Stats): string | undefined {
  if (!stats.isFile()) {
    return "it is not a regular file. DATABASE_URL names a file, such as sqlite:./data/sluice.db.";
  }
  if (isMountPoint(path, stats)) {
    return (
      "only this file is mounted, so its WAL, with the newest records, would be lost with the container. Mount the folder that " +
      "contains it."
    );
  }
  // Each name would have a WAL and a lock of its own (sqlite.org/howtocorrupt.html#_multiple_links_to_the_same_file).
  if (stats.nlink > 1) {
    return "the file has another name (a hard link), by which it could be used with another WAL. Remove that name.";
  }
  return undefined;
}

function isMountPoint(path: string, { dev }: Stats): boolean {
  return dev !== statSync(dirname(path)).dev || readMountPoints().includes(path);
}

/** A mount of a file from the same file system is visible only here (proc_pid_mountinfo(5)); empty except on Linux. */
function readMountPoints(): readonly string[] {
  let text: string;
  try {
    text = readFileSync("/proc/self/mountinfo", "utf8");
  } catch {
    return [];
  }
  return text.split("\n").map((line) => unescapeOctal(line.split(" ")[4] ?? ""));
}

/** Spaces and the like are written as a backslash and three octal digits. */
function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

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
      `backup. If neither exists, stop all processes of Sluice, move the file to another folder, and run \`${sluice} restore FILE ` +
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

interface Shared {
  users: number;
  descriptor: number | undefined;
}

const byPath = new Map<string, Shared>();

/**
 * A descriptor of the database file for scrubbing, open as long as any store of this process has the file open: closing
 * any descriptor of a file releases every lock that the process holds on it (POSIX), including SQLite's.
 */
export class SharedDescriptor {
  readonly #path: string;
  readonly #shared: Shared;

  /** Create it before the store's first connection. */
  constructor(path: string) {
    this.#path = path;
    this.#shared = byPath.get(path) ?? { users: 0, descriptor: undefined };
    this.#shared.users += 1;
    byPath.set(path, this.#shared);
  }

  /** Opens the file at the first call. Throws StoreError. */
  get(): number {
    this.#shared.descriptor ??= open(this.#path);
    return this.#shared.descriptor;
  }

  /** Call after the store's last connection is closed. */
  release(): void {
    this.#shared.users -= 1;
    if (this.#shared.users > 0) return;
    byPath.delete(this.#path);
    if (this.#shared.descriptor !== undefined) closeSync(this.#shared.descriptor);
  }
}

function open(path: string): number {
  try {
    return openSync(path, "r+");
  } catch (cause) {
    throw describeFailure(path, cause);
  }
}
