// Opens everything that actions need: the store, the clock, what is remembered between requests. Closes it again.

import type { App } from "./actions/app.ts";
import { CallerCache } from "./actions/caller-cache.ts";
import { InFlightKeys } from "./actions/idempotency.ts";
import type { Config } from "./config.ts";
import { openStore } from "./store/open-store.ts";
import type { StoreOptions } from "./store/store.ts";

export interface OpenApp extends App {
  close(): Promise<void>;
}

/** Throws StoreError when the store can't be opened, with what to do about it. */
export async function openApp(
  config: Config,
  options: StoreOptions & { readonly now?: () => number },
): Promise<OpenApp> {
  const store = await openStore(config.databaseUrl, {
    connections: {
      poolMax: config.databasePoolMax,
      prepare: config.databasePrepare,
      statementTimeoutMs: config.databaseStatementTimeoutMs,
      lockTimeoutMs: config.databaseLockTimeoutMs,
    },
    ...options,
  });
  return {
    store,
    now: options.now ?? Date.now,
    callers: new CallerCache(),
    inFlight: new InFlightKeys(),
    close: () => store.close(),
  };
}
