// Opens, backs up and restores the store that a database URL names, with the engine that the URL selects. The code of
// PostgreSQL is loaded only where it is used.

import { sqlitePath } from "../files/sqlite-path.ts";
import type { DeletionLedger } from "./interface/ledger.ts";
import { openLedger } from "./ledger/ledger-file.ts";
import { type BackupOptions, backUpSqliteStore, refuseBackupFile } from "./sqlite/file/backup.ts";
import { type FileLock, tryFileLock as trySqliteLock } from "./sqlite/file/file-lock.ts";
import { openSqliteSource, openSqliteStore } from "./sqlite/open-sqlite-store.ts";
import {
  copyBackup as copySqliteBackup,
  type RestoredCopy,
  type RestoreOptions,
} from "./sqlite/file/restore.ts";
import { StoreError } from "./interface/store-error.ts";
import type { Store, StoreOptions } from "./interface/store.ts";

/** Throws StoreError when the store can't be opened, with what to do about it. */
export async function openStore(databaseUrl: string, options: StoreOptions): Promise<Store> {
  const path = sqlitePath(databaseUrl);
  if (path !== undefined) return openSqliteStore(path, options);
  if (/^postgres(?:ql)?:\/\//.test(databaseUrl)) {
    const { openPostgresStore } = await import("./postgres/open-postgres-store.ts");
    return openPostgresStore(databaseUrl, options);
  }
  // A URL may contain a password, so it is not repeated.
  throw new StoreError(
    "DATABASE_URL names an unknown engine; it must begin with sqlite:, postgres:// or postgresql://.",
  );
}

/** Returns the size of the file in bytes. Throws StoreError. */
export function backUpStore(databaseUrl: string, options: BackupOptions): Promise<number> {
  return backUpSqliteStore(requireBackupPath(databaseUrl), options);
}

/** Throws StoreError if a backup can't be written there, or if the engine has its own tools for backups. */
export function refuseBackup(databaseUrl: string, file: string): void {
  requireBackupPath(databaseUrl);
  refuseBackupFile(file);
}

function requireBackupPath(databaseUrl: string): string {
  const path = sqlitePath(databaseUrl);
  if (path !== undefined) return path;
  throw new StoreError(
    "PostgreSQL is backed up with its own tools, pg_basebackup or pg_dump. Store the ledger in DATA_DIR, or the output of " +
      "`sluice receipt export --include-confidential`, separately.",
  );
}

/** Everything to replay must be stored in the copy before it replaces the store. Throws StoreError. */
export function copyBackup(databaseUrl: string, options: RestoreOptions): RestoredCopy {
  const path = sqlitePath(databaseUrl);
  if (path !== undefined) return copySqliteBackup(path, options);
  throw new StoreError(
    "PostgreSQL is restored with its own tools. Stop all Sluice processes, restore, and run `sluice deletion replay` before " +
      "any of them serves again.",
  );
}

/** An embedded store, for a command that reads its tables. Throws StoreError. */
export function openSource(databaseUrl: string, parts: StoreOptions["parts"]) {
  const path = sqlitePath(databaseUrl);
  if (path !== undefined) return openSqliteSource(path, parts);
  throw new StoreError(
    "DATABASE_URL names a PostgreSQL database. Set it to the embedded store, such as sqlite:./data/sluice.db.",
  );
}

/** A database, for a command that fills its tables. Throws StoreError, which never repeats the URL. */
export async function openTarget(
  url: string,
  options: Required<Pick<StoreOptions, "connections" | "parts">>,
) {
  const { openPostgresTarget } = await import("./postgres/open-postgres-store.ts");
  return openPostgresTarget(url, options);
}

/** The ledger of the store with this id, in a folder of this host; for any engine. */
export function openStoreLedger(
  folder: string,
  storeId: string,
  { now }: { readonly now: () => number },
): DeletionLedger {
  return openLedger({ folder, storeId, now, tryLock: tryFileLock });
}

/** A lock between processes; undefined if another process holds it. Throws the system's error. */
export function tryFileLock(path: string): FileLock | undefined {
  return trySqliteLock(path);
}
