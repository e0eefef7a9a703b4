// What the errors of SQLite mean to whoever gets them: later is early enough, or something is wrong with the file.

import { unavailable } from "../../domain/error.ts";
import { FileError } from "../../files/file-error.ts";
import { findObstacle } from "../../files/path-obstacle.ts";
import { StoreError } from "../interface/store-error.ts";
import { sluice } from "../../basics/program-name.ts";

/** The Retry-After while the disk is full or can't be written to. */
export const noRoomRetrySeconds = 10;

/** Primary result codes of SQLite (sqlite.org/rescode.html). */
const busyCode = 5;
/** READONLY, IOERR, CORRUPT, FULL, CANTOPEN: no room, or no use; a failing disk also returns wrong pages. */
const unusableCodes: ReadonlySet<number | undefined> = new Set([8, 10, 11, 13, 14]);
/** IOERR and CORRUPT. */
const failingCodes: ReadonlySet<number | undefined> = new Set([10, 11]);
const readOnlyCode = 8;
const ioErrorCode = 10;
const corruptCode = 11;
const fullCode = 13;
const notADatabaseCode = 26;

/** True if another connection held a lock for longer than the busy timeout. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === busyCode;
}

/** AppError unavailable for an error of SQLite that is transient, or that an operator can resolve. */
export function asUnavailable(cause: unknown): unknown {
  if (isBusy(cause)) return unavailable("database_busy", { retryAfterSeconds: 1, cause });
  const code = resultCode(cause);
  if (!unusableCodes.has(code)) return cause;
  const why = failingCodes.has(code) ? describeFailing(cause) : cause;
  const reason = code === fullCode ? "disk_full" : "disk_failed";
  return unavailable(reason, { retryAfterSeconds: noRoomRetrySeconds, cause: why });
}

/** Returns the error to throw in a command, which says what to do about a file that can't be used. */
export function asUnusable(path: string, cause: unknown): unknown {
  const code = resultCode(cause);
  const damage = asDamaged(path, cause);
  if (damage !== undefined) return damage;
  if (code === readOnlyCode) return notWritable(path, cause);
  return code === ioErrorCode ? describeFailing(cause) : cause;
}

/** Undefined if the error is another one. */
export function asDamaged(path: string, cause: unknown): StoreError | undefined {
  const code = resultCode(cause);
  if (code !== corruptCode && code !== notADatabaseCode) return undefined;
  return new StoreError(
    `The store ${path} is damaged: SQLite can't read parts of it (${messageOf(cause)}). Stop the service, copy the file with its ` +
      `WAL to another disk, check the disk and the log of the system, and restore the newest backup with \`${sluice} restore\`.`,
    { cause },
  );
}

function notWritable(path: string, cause: unknown): StoreError {
  return new StoreError(
    `The store ${path} can't be written: its file system is read-only. The system may have made it so after an error of the ` +
      "disk: check its log, repair the file system, and mount it for writing.",
    { cause },
  );
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** SQLite reports "malformed" for anything that it reads from a failing disk. */
function describeFailing(cause: unknown): StoreError {
  return new StoreError(
    `The file of the store can't be read or written: ${messageOf(cause)}. Check its disk ` +
      `and the log of the system; if the disk is sound, stop the service and run \`${sluice} check\`.`,
    { cause },
  );
}

function resultCode(error: unknown): number | undefined {
  const extended = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof extended === "number" ? extended & 0xff : undefined;
}

/** SQLite does not say which file or folder it may not use. */
function findStoreObstacle(path: string): string | undefined {
  const files = [path, `${path}-wal`, `${path}-shm`];
  const found = files.map((file) => findObstacle(file, "write")).find((text) => text !== undefined);
  return found ?? findObstacle(`${path}-wal`, "create");
}

export function describeFailure(path: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  // The FileError names the folder or file that can't be used.
  if (cause instanceof FileError) return new StoreError(cause.message, { cause });
  if (resultCode(cause) === notADatabaseCode) {
    return new StoreError(
      `The store ${path} can't be opened: it is not an SQLite database. Name another file in DATABASE_URL, or move this ` +
        "one away.",
      { cause },
    );
  }
  const damaged = asDamaged(path, cause);
  if (damaged !== undefined) return damaged;
  const reason = messageOf(cause);
  const message = `The store ${path} can't be opened: ${findStoreObstacle(path) ?? `${reason}.`}`;
  return new StoreError(message, { cause: new FileError(message, { path, cause }) });
}
