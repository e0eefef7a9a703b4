// Notices that the store was replaced by a backup while a command that follows it runs.

import { statSync } from "node:fs";
import type { App } from "../actions/app.ts";
import { makeStoreCheck, storeReplayed } from "../actions/ledger/watch-store.ts";
import { sqlitePath } from "../files/sqlite-path.ts";
import { readConfig } from "../settings/config.ts";
import type { Context } from "./command.ts";

/**
 * Returns a function that throws then. On SQLite a restore leaves the file that this process has open, and puts another
 * one in its place.
 */
export async function makeSameStoreCheck(
  app: App,
  { environment }: Context,
): Promise<() => Promise<void>> {
  const requireSame = await makeStoreCheck(app);
  const path = sqlitePath(readConfig(environment).databaseUrl);
  const fileNow = () => (path === undefined ? 0 : statSync(path).ino);
  const opened = fileNow();
  return async () => {
    if (fileNow() !== opened) throw storeReplayed();
    await requireSame();
  };
}
