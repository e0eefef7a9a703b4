// Puts a backup in the place of a store. What was erased since the backup comes back with it, so whoever calls this has the
// deletions of the ledger carried out again before anything is served.

import { existsSync, renameSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { StoreError } from "../store-error.ts";
import { Connection, openReader } from "./connection.ts";
import { emptyLog } from "./log-file.ts";
import { schemaVersion } from "./migrate.ts";
import { copyContent, makeFileBeside, removeFilesBeside, syncFolderOf } from "./private-file.ts";
import { takeServingRight } from "./serving-right.ts";

export interface RestoreOptions {
  readonly file: string;
  /** Whether a store that holds records may be replaced. */
  readonly replace: boolean;
}

/** Throws StoreError, also if the store is being served, and then has changed nothing. */
export function restoreSqliteStore(path: string, options: RestoreOptions): void {
  const file = resolve(options.file);
  const right = takeServingRight(path);
  try {
    checkBackup(file);
    if (!options.replace && holdsRecords(path)) {
      throw new StoreError(
        `The store ${path} holds records. Give --replace to put the backup in its place; what is in it now is lost then.`,
      );
    }
    removeFilesBeside(path);
    const beside = makeFileBeside(path);
    try {
      copyContent(file, beside);
      clearAway(path);
      renameSync(beside, path);
    } catch (error) {
      rmSync(beside, { force: true });
      throw error;
    }
    syncFolderOf(path);
  } finally {
    right.release();
  }
}

/** The whole file is read: a backup that is damaged is better found now than later. */
function checkBackup(file: string): void {
  if (!existsSync(file)) throw new StoreError(`There is no file ${file} to restore.`);
  let version: number | undefined;
  let soundness: string | undefined;
  try {
    const backup = openReader(file);
    try {
      soundness = backup.get<{ integrity_check: string }>(
        "PRAGMA integrity_check(1)",
      )?.integrity_check;
      version = backup.get<{ value: number }>(readVersion)?.value;
    } finally {
      backup.close();
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError(`${file} is no backup of a store: ${why}.`, { cause });
  }
  if (soundness !== "ok") {
    throw new StoreError(`The backup ${file} is damaged: ${soundness ?? "it can't be checked"}.`);
  }
  if (version === undefined) throw new StoreError(`${file} is no backup of a store.`);
  if (version > schemaVersion) {
    throw new StoreError(
      `The backup ${file} was made by a newer version of Sluice; restore it with that version or a newer one.`,
    );
  }
}

const readVersion = `SELECT value FROM meta WHERE name = 'schema_version'`;
const findRecord = `SELECT 1 FROM record LIMIT 1`;

/** A store that can't be read might hold some. */
function holdsRecords(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    const reader = openReader(path);
    try {
      return reader.get(findRecord) !== undefined;
    } finally {
      reader.close();
    }
  } catch {
    return true;
  }
}

/** A log that is left beside the restored file would be taken for its own, and written over it. */
function clearAway(path: string): void {
  if (existsSync(path)) {
    try {
      const connection = new Connection(path, { readOnly: false });
      try {
        emptyLog(connection);
      } finally {
        connection.close();
      }
    } catch (error) {
      if (error instanceof StoreError) throw error;
      // It can't be read; then there is nothing in its log that could be saved either.
    }
  }
  for (const suffix of ["-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
  syncFolderOf(path);
}
