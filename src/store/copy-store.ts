// Backs up and restores the store that a database URL names, with the engine that the URL selects.

import { sqlitePath } from "../files/sqlite-path.ts";
import { type BackupOptions, backUpSqliteStore, refuseBackupFile } from "./sqlite/file/backup.ts";
import {
  copyBackup as copySqliteBackup,
  type RestoredCopy,
  type RestoreOptions,
} from "./sqlite/file/restore.ts";
import { StoreError } from "./interface/store-error.ts";
import { sluice } from "../basics/program-name.ts";

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
      `\`${sluice} receipt export --include-confidential\`, separately.`,
  );
}

/** Everything to replay must be stored in the copy before it replaces the store. Throws StoreError. */
export function copyBackup(databaseUrl: string, options: RestoreOptions): RestoredCopy {
  const path = sqlitePath(databaseUrl);
  if (path !== undefined) return copySqliteBackup(path, options);
  throw new StoreError(
    `PostgreSQL is restored with its own tools. Stop all Sluice processes, restore, and run \`${sluice} deletion replay\` before ` +
      "any of them serves again.",
  );
}
