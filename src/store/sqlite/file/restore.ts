// Replaces a store by a backup, in two steps: first a copy of the backup beside the store, in which everything that
// must be replayed is recorded; then the copy is renamed to the store's name. So an incomplete restore is never
// mistaken for a complete store.

import { realpathSync, renameSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { openFile, writeOwnFile } from "../../../files/own-file.ts";
import { isPresent, statOf } from "../../../files/present.ts";
import { refuseSchema } from "../../shared/schema-version.ts";
import { readVersion, schemaVersion } from "../../sql/migrations.ts";
import { StoreError } from "../../interface/store-error.ts";
import { Connection, openReader } from "../connection.ts";
import { truncateWal, walBytes } from "./checkpoint-freeze.ts";
import { copyContent, syncFile, syncFolderOf } from "./private-file.ts";
import { isFileMarkedOpen, markClosed, sizeOfStore } from "./store-file.ts";
import { type ServingRight, takeServingRight, tryServingRight } from "./file-lock.ts";
import { sluice } from "../../../basics/program-name.ts";

export interface RestoreOptions {
  readonly file: string;
  /** Whether a store that contains records may be replaced. */
  readonly replace: boolean;
  /** Whether the file may be that of a store that was copied without its WAL. */
  readonly incomplete?: boolean;
}

/** Nobody else uses it. Disposing removes it unless it has replaced the store, and releases the right to serve. */
export interface RestoredCopy extends Disposable {
  readonly databaseUrl: string;
  /** Renames the copy to the store's name, replacing the store. No process may have it open. Throws StoreError. */
  putInPlace(): void;
}

/** Throws StoreError, also if the store is being served. In that case nothing is changed. */
export function copyBackup(path: string, options: RestoreOptions): RestoredCopy {
  const file = resolve(options.file);
  sizeOfStore(path);
  using making = new DisposableStack();
  making.adopt(takeServingRight(path), (right) => right.release());
  const copy = restoringPath(path);
  making.defer(() => removeDatabase(copy));
  removeDatabase(copy);
  // From here on, a process that finds no store knows that one was being restored.
  writeOwnFile(copy, "");
  syncFolderOf(copy);
  checkBackup(file, path);
  if (options.incomplete !== true) refuseCopy(file);
  const log = findUnmatchedLog(path);
  if (!options.replace && log !== undefined) {
    throw new StoreError(
      `${log} contains changes of a store whose file is missing or empty. With --replace the backup takes its place, and ` +
        "these changes are lost.",
    );
  }
  if (log === undefined) refuseOther(file, path);
  if (!options.replace && holdsRecords(path)) {
    throw new StoreError(
      `The store ${path} contains records. With --replace the backup takes its place, and its data is lost.`,
    );
  }
  copyContent(file, copy);
  {
    using connection = new Connection(copy, { readOnly: false });
    markClosed(connection);
  }
  const made = making.move();
  return {
    databaseUrl: `sqlite:${copy}`,
    putInPlace: () => putInPlace(copy, path),
    [Symbol.dispose]: () => made.dispose(),
  };
}

function putInPlace(copy: string, path: string): void {
  // The WAL would not be moved along with the file that it belongs to.
  if (walBytes(copy) > 0) {
    throw new StoreError(`The copy ${copy} is still open in another process.`);
  }
  syncFile(copy);
  removeWal(path);
  renameSync(copy, path);
  syncFolderOf(path);
}

/** Exists while the store is being restored, or after a restore was killed. */
function restoringPath(path: string): string {
  return `${path}.restoring`;
}

/** Does nothing during a restore, which holds the right to serve. `right`: given if the caller already holds it. */
export function removeRestoreLeftovers(path: string, right?: ServingRight): void {
  const copy = restoringPath(path);
  if (copyFiles(copy).every((file) => !isPresent(file, "The file"))) return;
  const mine = right === undefined ? tryServingRight(path) : undefined;
  if (right === undefined && mine === undefined) return;
  removeDatabase(copy);
  syncFolderOf(path);
  mine?.release();
}

/** Throws StoreError if there is no store because a restore was killed: an empty one must not be made in its place. */
export function refuseUnrestored(path: string): void {
  const copy = restoringPath(path);
  if (!isPresent(copy, "The file")) return;
  throw new StoreError(
    `There is no store at ${path}: a restore of it was interrupted, or is still running. Run \`${sluice} restore\` again, with the ` +
      `same backup and the same --ledger. To begin with an empty store instead, remove ${copy}.`,
  );
}

/** The path of a WAL or journal with content, if the file that it belongs to is missing or empty. */
export function findUnmatchedLog(path: string): string | undefined {
  return (statOf(path, "The store")?.size ?? 0) > 0 ? undefined : findLog(path);
}

function findLog(path: string): string | undefined {
  return ["-wal", "-journal"]
    .map((suffix) => path + suffix)
    .find((log) => (statOf(log, "The file")?.size ?? 0) > 0);
}

function removeDatabase(path: string): void {
  for (const file of copyFiles(path)) rmSync(file, { force: true });
}

/** The lock is the last one that is removed, and may be all that is left. */
function copyFiles(copy: string): readonly string[] {
  return [...databaseFiles(copy), `${copy}.serving`];
}

export function databaseFiles(path: string): readonly string[] {
  return ["", "-wal", "-shm", "-journal"].map((suffix) => path + suffix);
}

/** Reads the whole file, so that a damaged backup is found now rather than later. */
function checkBackup(file: string, path: string): void {
  const stats = statOf(file, "The backup");
  if (stats === undefined) throw new StoreError(`There is no file ${file} to restore.`);
  const store = statOf(path, "The store");
  if (store?.ino === stats.ino && store.dev === stats.dev) {
    throw new StoreError(`${file} is the store itself, and not a backup of it.`);
  }
  if (stats.isDirectory()) throw new StoreError(`${file} is a folder, not a backup of a store.`);
  refuseUnclosed(file);
  let version: number | undefined;
  let integrity: string | undefined;
  try {
    using backup = openReader(file);
    integrity = backup.get<{ integrity_check: string }>(
      "PRAGMA integrity_check(1)",
    )?.integrity_check;
    version = backup.get<{ value: number }>(readVersion)?.value;
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    throw new StoreError(
      `${file} is not a backup of a store, or it is damaged. Copy it again from where it is kept, or use another backup.`,
      { cause },
    );
  }
  if (integrity !== "ok") {
    throw new StoreError(
      `The backup ${file} is damaged: parts of it were changed or are missing. Copy it again from where it is kept, or use ` +
        `another backup. (SQLite reports: ${integrity ?? "nothing"}.)`,
    );
  }
  if (version === undefined) throw new StoreError(`${file} is not a backup of a store.`);
  refuseSchema(version, { newest: schemaVersion, store: `The backup ${file}` });
}

/** Only the file is copied. What a store that is in use, or that crashed, has in these files would be lost. */
function refuseUnclosed(file: string): void {
  const store = realpathSync(file);
  const beside = findLog(store);
  if (beside === undefined) return;
  throw new StoreError(
    `${file} is not a backup, but a store that is in use or was not closed: ${beside} contains changes that the file lacks. ` +
      `Make a backup of it with DATABASE_URL=sqlite:${store} and its own DATA_DIR, and restore that.`,
  );
}

function refuseCopy(file: string): void {
  using opened = openFile(file, "r");
  if (!isFileMarkedOpen(opened.descriptor)) return;
  throw new StoreError(
    `${file} is not a backup, but a store that was copied without its WAL while it was in use, so the newest records are ` +
      "missing. Restore a backup, or copy the store with its WAL. With --incomplete it is restored all the same.",
  );
}

const findRecord = `SELECT 1 FROM record LIMIT 1`;

interface Identity {
  readonly store_id: string;
  /** Whether the store has an organization. */
  readonly used: number;
}

const readIdentity = `
  SELECT store_id, EXISTS (SELECT 1 FROM organization) AS used FROM receipt_head`;

/** A used store is not replaced by the backup of another one, whose records have nothing to do with it. */
function refuseOther(file: string, path: string): void {
  const [saved, current] = [identify(file), identify(path)];
  if (saved === undefined || current === undefined || current.used === 0) return;
  if (saved.store_id === current.store_id) return;
  throw new StoreError(
    `The backup ${file} is of another store, ${saved.store_id}; ${path} is ${current.store_id}. Check the file, DATABASE_URL ` +
      "and DATA_DIR. To restore it here all the same, first move the store and its ledger to another folder.",
  );
}

/** Undefined if there is no such file, or it can't be read. */
function identify(path: string): Identity | undefined {
  if (!isPresent(path, "The store")) return undefined;
  try {
    using reader = openReader(path);
    return reader.get<Identity>(readIdentity);
  } catch {
    return undefined;
  }
}

/** A store that can't be read may contain records. */
function holdsRecords(path: string): boolean {
  if (!isPresent(path, "The store")) return false;
  try {
    using reader = openReader(path);
    return reader.get(findRecord) !== undefined;
  } catch {
    return true;
  }
}

/** SQLite would apply a WAL that is left beside the restored file to that file. */
function removeWal(path: string): void {
  if (isPresent(path, "The store")) {
    try {
      using connection = new Connection(path, { readOnly: false });
      markClosed(connection);
      truncateWal(connection);
    } catch (error) {
      if (error instanceof StoreError) throw error;
      // If the store can't be read, nothing in its WAL can be saved either.
    }
  }
  for (const suffix of ["-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
  syncFolderOf(path);
}
