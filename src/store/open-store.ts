// Opens, backs up, restores and moves the store that a database URL names. Knows which engines there are, and nothing of how they work.

import { resolve } from "node:path";
import type { MoveSource, MoveTarget } from "./move.ts";
import { openPostgresMoveTarget, openPostgresStore } from "./postgres/open-postgres-store.ts";
import { type BackupOptions, backUpSqliteStore } from "./sqlite/backup.ts";
import { openSqliteMoveSource } from "./sqlite/move-source.ts";
import { openSqliteStore } from "./sqlite/open-sqlite-store.ts";
import { type RestoreOptions, restoreSqliteStore } from "./sqlite/restore.ts";
import { StoreError } from "./store-error.ts";
import type { ConnectionSettings, Store, StoreOptions } from "./store.ts";

/** Throws StoreError when the store can't be opened, with what to do about it. */
export async function openStore(databaseUrl: string, options: StoreOptions): Promise<Store> {
  const path = sqlitePathOf(databaseUrl);
  if (path !== undefined) return openSqliteStore(path, options);
  if (/^postgres(?:ql)?:\/\//.test(databaseUrl)) return openPostgresStore(databaseUrl, options);
  // A URL may hold a password, so it is not repeated here.
  throw new StoreError(
    "DATABASE_URL names no engine that Sluice has; it begins with sqlite:, postgres:// or postgresql://.",
  );
}

/** Gives the size of the file in bytes. Throws StoreError, also for engines that are backed up with tools of their own. */
export async function backUpStore(databaseUrl: string, options: BackupOptions): Promise<number> {
  const path = sqlitePathOf(databaseUrl);
  if (path !== undefined) return backUpSqliteStore(path, options);
  throw new StoreError(
    "PostgreSQL is backed up with its own tools, pg_basebackup or pg_dump. Keep `sluice receipt export` or the ledger in " +
      "DATA_DIR apart from it.",
  );
}

/** The deletions of the ledger have still to be carried out again then. Throws StoreError. */
export function restoreStore(databaseUrl: string, options: RestoreOptions): void {
  const path = sqlitePathOf(databaseUrl);
  if (path !== undefined) return restoreSqliteStore(path, options);
  throw new StoreError(
    "PostgreSQL is restored with its own tools. Stop all Sluice processes, restore, and run `sluice deletion replay` before " +
      "any of them serves again.",
  );
}

/** Throws StoreError, also for engines that nothing is moved from. */
export function openMoveSource(databaseUrl: string): MoveSource {
  const path = sqlitePathOf(databaseUrl);
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

function sqlitePathOf(databaseUrl: string): string | undefined {
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(databaseUrl)?.[1];
  return path === undefined ? undefined : resolve(path);
}
