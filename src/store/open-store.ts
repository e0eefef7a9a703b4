// Opens the store that a database URL names, with the engine that the URL selects, and its ledger. The code of
// PostgreSQL is loaded only where it is used.

import { sqlitePath } from "../files/sqlite-path.ts";
import type { DeletionLedger } from "./interface/ledger.ts";
import { openLedger } from "./ledger/ledger-file.ts";
import { type FileLock, tryFileLock as trySqliteLock } from "./sqlite/file/file-lock.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import { openSqliteSource } from "./sqlite/open-source.ts";
import { StoreError } from "./interface/store-error.ts";
import type { Store, StoreOptions } from "./interface/store.ts";

/** Throws StoreError when the store can't be opened, with what to do about it. */
export async function openStore(databaseUrl: string, options: StoreOptions): Promise<Store> {
  const path = sqlitePath(databaseUrl);
  if (path !== undefined) return openSqliteStore(path, options);
  if (/^postgres(?:ql)?:\/\//.test(databaseUrl)) {
    const { openPostgresStore } = await import("./postgres/postgres-store.ts");
    return openPostgresStore(databaseUrl, options);
  }
  // A URL may contain a password, so it is not repeated.
  throw new StoreError(
    "DATABASE_URL names an unknown engine; it must begin with sqlite:, postgres:// or postgresql://.",
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
  const { openPostgresTarget } = await import("./postgres/open-target.ts");
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
