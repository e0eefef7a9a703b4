// Opens and closes everything that actions need: the store, the ledger of this host, the clock, the caches. Refuses a
// store that is older than its ledger.

import type { App } from "../actions/app.ts";
import { makeSealReceipt, makeSigner } from "../actions/receipt/receipt-keys.ts";
import { CallerCache } from "../actions/access/caller-cache.ts";
import { offsetsOf } from "../actions/change/offset.ts";
import { hourMs } from "../basics/duration.ts";
import { InFlightKeys } from "../actions/intake/idempotency.ts";
import { type Config, connectionsOf, valueOf } from "../settings/config.ts";
import { readOperatorName } from "./operator-name.ts";
import { refuseMoved } from "../data-folder/moved-store.ts";
import { refuseLostStore } from "../data-folder/data-folder.ts";
import { hasReceiptKey, isNamedKey, makeKeyReader } from "../data-folder/receipt-key.ts";
import * as stores from "../store/open-store.ts";
import { openStore } from "../store/open-store.ts";
import { storeParts } from "../feature/parts.ts";
import type { DeletionLedger } from "../store/interface/ledger.ts";
import type { StoreOptions } from "../store/interface/store.ts";
import { removeUnfinished } from "../data-folder/unfinished-files.ts";
import { makeClose, openOwnLedger, readMustHave, refuseRolledBack } from "./own-ledger.ts";

/** Throws StoreError. */
export function openSource({ databaseUrl }: Config) {
  return stores.openSource(databaseUrl, storeParts);
}

/** Throws StoreError. */
export function openTarget(url: string, config: Config) {
  return stores.openTarget(url, { connections: connectionsOf(config), parts: storeParts });
}

export interface OpenApp extends App, AsyncDisposable {
  close(): Promise<void>;
}

export interface AppOptions extends Omit<StoreOptions, "parts"> {
  readonly now?: () => number;
  /** The name for the audit trail; the default is the user of the operating system. */
  readonly operator?: string;
  /** Called for each leftover file of a killed process after it is removed. */
  readonly onLeftover?: (path: string) => void;
  /** True to move an embedded store again that was already moved. */
  readonly moving?: boolean;
}

/** Throws StoreError or FileError when the store or its ledger can't be used; then everything is closed again. */
export async function openApp(config: Config, options: AppOptions): Promise<OpenApp> {
  if (options.moving !== true) refuseMoved(config);
  refuseLostStore(config);
  const now = options.now ?? Date.now;
  const readKey = makeKeyReader(config);
  // A key that is missing or wrong must not leave a new store behind.
  if (options.role === "serve" && isNamedKey(config)) readKey();
  for (const path of await removeUnfinished(config.dataDir)) options.onLeftover?.(path);
  let ledger: DeletionLedger | undefined;
  const store = await openStore(config.databaseUrl, {
    sealReceipt: makeSealReceipt(readKey, now),
    connections: connectionsOf(config),
    mustHave: () => readMustHave(ledger),
    parts: storeParts,
    ...options,
  });
  try {
    const { storeId } = await store.receiptHead();
    ledger = openOwnLedger(config, { storeId, now });
    // Commands do not create a key: a command that only reads must not write anything.
    const derive: App["derive"] = (make) =>
      options.role === "command" && !hasReceiptKey(config) ? undefined : make(readKey());
    const app: App = {
      store,
      ledger,
      now,
      knownTime: { at: await readKnownTime(store, config) },
      clockJumpMs: config.clockJumpHours * hourMs,
      timestampMin: config.timestampMin,
      operator: options.operator ?? readOperatorName(),
      signer: () => derive(makeSigner),
      derive,
      setting: (item) => valueOf(config, item),
      offsets: offsetsOf(store),
      callers: new CallerCache(),
      inFlight: new InFlightKeys(),
    };
    if (options.restoring !== true) await refuseRolledBack(app);
    const close = await makeClose(app, options);
    return { ...app, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function readKnownTime({ clock }: App["store"], { clockJumpHours }: Config): Promise<number> {
  return clockJumpHours === 0 ? 0 : ((await clock.read()).trustedAt ?? 0);
}
