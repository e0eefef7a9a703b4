// Opens everything that actions need: the store, the clock, what is remembered between requests. Closes it again.

import type { App } from "./actions/app.ts";
import { makeSealReceipt } from "./actions/issue-receipt.ts";
import { CallerCache } from "./actions/caller-cache.ts";
import { InFlightKeys } from "./actions/idempotency.ts";
import type { Config } from "./config.ts";
import { requireUsable } from "./files/present.ts";
import { makeKeyReader } from "./receipt-key.ts";
import { openStore } from "./store/open-store.ts";
import { openLedger } from "./store/receipt-ledger.ts";
import type { DeletionLedger, Store, StoreOptions } from "./store/store.ts";

export interface OpenApp extends App {
  close(): Promise<void>;
}

/**
 * Throws StoreError or FileError when the store or its ledger can't be opened, with what to do about it; nothing is left
 * open then.
 */
export async function openApp(
  config: Config,
  options: StoreOptions & { readonly now?: () => number },
): Promise<OpenApp> {
  const now = options.now ?? Date.now;
  const store = await openStore(config.databaseUrl, {
    sealReceipt: makeSealReceipt(makeKeyReader(config), now),
    connections: {
      poolMax: config.databasePoolMax,
      prepare: config.databasePrepare,
      statementTimeoutMs: config.databaseStatementTimeoutMs,
      lockTimeoutMs: config.databaseLockTimeoutMs,
    },
    ...options,
  });
  const ledger = await openOwnLedger(config, store).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  return {
    store,
    ledger,
    now,
    callers: new CallerCache(),
    inFlight: new InFlightKeys(),
    close: () => store.close(),
  };
}

/** A ledger that this user may not read would look like one without entries, and erased records could come back. */
async function openOwnLedger({ dataDir }: Config, store: Store): Promise<DeletionLedger> {
  const { storeId } = await store.receiptHead();
  const ledger = openLedger(dataDir, storeId);
  requireUsable(ledger.path, "The ledger of deletions");
  return ledger;
}
