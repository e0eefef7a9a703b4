// Connects backup and restore with the store that the settings name.

import { existsSync } from "node:fs";
import { catchUpLedger } from "./actions/keep-ledger.ts";
import { openApp } from "./app.ts";
import { type Config, sqlitePath } from "./config.ts";
import { isPresent } from "./files/present.ts";
import { backUpStore, restoreStore } from "./store/open-store.ts";
import { readLedgerFile } from "./store/receipt-ledger.ts";
import { StoreError } from "./store/store-error.ts";
import type { LedgerEntry } from "./domain/ledger-entry.ts";

/** Gives the size of the file in bytes. Throws StoreError. */
export function backUp(
  config: Config,
  file: string,
  onProgress: (done: number, all: number) => void,
): Promise<number> {
  return backUpStore(config.databaseUrl, { file, onProgress });
}

/**
 * Puts the backup in the place of the store, after the ledger has taken over what the store knew; `onUnreadable` is told
 * why, if the store can't be read. Throws StoreError.
 */
export async function putBack(
  config: Config,
  options: { readonly file: string; readonly replace: boolean },
  onUnreadable: (why: string) => void,
): Promise<void> {
  const path = sqlitePath(config.databaseUrl);
  if (path !== undefined && existsSync(path)) {
    try {
      const app = await openApp(config, { role: "command" });
      try {
        await catchUpLedger(app);
      } finally {
        await app.close();
      }
    } catch (error) {
      onUnreadable(error instanceof Error ? error.message : String(error));
    }
  }
  restoreStore(config.databaseUrl, options);
}

/** A ledger of another host, or a file of receipts. Throws StoreError where there is none: a mistyped name is no empty ledger. */
export function readLedger(path: string): AsyncIterable<LedgerEntry> {
  if (!isPresent(path, "The ledger")) throw new StoreError(`There is no ledger ${path}.`);
  return readLedgerFile(path);
}
