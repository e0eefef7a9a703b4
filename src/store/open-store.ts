// Opens the store that a database URL names. Knows which engines there are, and nothing of how they work.

import { resolve } from "node:path";
import { openPostgresStore } from "./postgres/open-postgres-store.ts";
import { openSqliteStore } from "./sqlite/open-sqlite-store.ts";
import { StoreError } from "./store-error.ts";
import type { Store, StoreOptions } from "./store.ts";

/** Throws StoreError when the store can't be opened, with what to do about it. */
export async function openStore(databaseUrl: string, options: StoreOptions): Promise<Store> {
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(databaseUrl)?.[1];
  if (path !== undefined) return openSqliteStore(resolve(path), options);
  if (/^postgres(?:ql)?:\/\//.test(databaseUrl)) return openPostgresStore(databaseUrl, options);
  // A URL may hold a password, so it is not repeated here.
  throw new StoreError(
    "DATABASE_URL names no engine that Sluice has; it begins with sqlite:, postgres:// or postgresql://.",
  );
}
