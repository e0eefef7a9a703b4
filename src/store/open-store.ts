// Opens, backs up, restores and moves the store that a database URL names. Knows which engines there are, and nothing of how they work.

import { sqlitePath } from "../files/sqlite-path.ts";
import type { DeletionLedger } from "./ledger.ts";
import type { MoveSource, MoveTarget } from "./move.ts";
import { openPostgresMoveTarget, openPostgresStore } from "./postgres/open-postgres-store.ts";
import { openLedger } from "./ledger/ledger-file.ts";
import { type BackupOptions, backUpSqliteStore, refuseBackupFile } from "./sqlite/file/backup.ts";
import { type FileLock, tryFileLock as trySqliteLock } from "./sqlite/file/file-lock.ts";
import { openSqliteMoveSource } from "./sqlite/move-source.ts";
import { openSqliteStore } from "./sqlite/open-sqlite-store.ts";
import {
  copyBackup as copySqliteBackup,
  type RestoredCopy,
  type RestoreOptions,
} from "./sqlite/file/restore.ts";
import { StoreError } from "./store-error.ts";
import type { ConnectionSettings } from "./connection-settings.ts";
import type { Store, StoreOptions } from "./store.ts";

/** Throws StoreError when the store can't be opened, with what to do about it. */
export async function openStore(databaseUrl: string, options: StoreOptions): Promise<Store> {
  const path = sqlitePath(databaseUrl);
  if (path !== undefined) return openSqliteStore(path, options);
  if (/^postgres(?:ql)?:\/\//.test(databaseUrl)) return openPostgresStore(databaseUrl, options);
  // A URL may hold a password, so it is not repeated here.
  throw new StoreError(
    "DATABASE_URL names no engine that Sluice has; it begins with sqlite:, postgres:// or postgresql://.",
  );
}

/** Gives the size of the file in bytes. Throws StoreError. */
export function backUpStore(databaseUrl: string, options: BackupOptions): Promise<number> {
  return backUpSqliteStore(requireBackupPath(databaseUrl), options);
}

/** Throws StoreError if a backup can't be made there, also for engines that are backed up with tools of their own. */
export function refuseBackup(databaseUrl: string, file: string): void {
  requireBackupPath(databaseUrl);
  refuseBackupFile(file);
}

function requireBackupPath(databaseUrl: string): string {
  const path = sqlitePath(databaseUrl);
  if (path !== undefined) return path;
  throw new StoreError(
    "PostgreSQL is backed up with its own tools, pg_basebackup or pg_dump. Keep `sluice receipt export` or the ledger in " +
      "DATA_DIR apart from it.",
  );
}

/** What has to be replayed has to be written down in the copy before it is put in place. Throws StoreError. */
export function copyBackup(databaseUrl: string, options: RestoreOptions): RestoredCopy {
  const path = sqlitePath(databaseUrl);
  if (path !== undefined) return copySqliteBackup(path, options);
  throw new StoreError(
    "PostgreSQL is restored with its own tools. Stop all Sluice processes, restore, and run `sluice deletion replay` before " +
      "any of them serves again.",
  );
}

/** Throws StoreError, also for engines that nothing is moved from. */
export function openMoveSource(databaseUrl: string): MoveSource {
  const path = sqlitePath(databaseUrl);
  if (path !== undefined) return openSqliteMoveSource(path);
  throw new StoreError(
    "DATABASE_URL names a database of PostgreSQL, and a move copies an embedded store to one. Name the embedded store in " +
      "DATABASE_URL, such as sqlite:./data/sluice.db, and the database in --to.",
  );
}

/** The URL is not repeated in errors: it may hold a password. Throws StoreError. */
export function openMoveTarget(url: string, connections: ConnectionSettings): Promise<MoveTarget> {
  return openPostgresMoveTarget(url, connections);
}

/** The ledger of the store with this name, in a folder of this host; for any engine. */
export function openStoreLedger(
  folder: string,
  storeId: string,
  { now }: { readonly now: () => number },
): DeletionLedger {
  return openLedger({ folder, storeId, now, tryLock: tryFileLock });
}

/** A lock between processes; undefined if somebody else holds it. Throws what the file system says. */
export function tryFileLock(path: string): FileLock | undefined {
  return trySqliteLock(path);
}
