// The ledger of this host while a process has the store open: a store that is older is refused, and what a command does
// is noted before the store is closed.

import type { App } from "../actions/app.ts";
import {
  findLostLedger,
  keepLedger,
  ledgerAhead,
  wasRolledBack,
} from "../actions/ledger/keep-ledger.ts";
import { adoptRestore } from "../actions/ledger/watch-store.ts";
import { requireUsable } from "../files/present.ts";
import type { Config } from "../settings/config.ts";
import type { DeletionLedger, MustHave } from "../store/interface/ledger.ts";
import { StoreError } from "../store/interface/store-error.ts";
import type { StoreOptions } from "../store/interface/store.ts";
import { ledgerName } from "../store/ledger/ledger-reader.ts";
import { openStoreLedger } from "../store/open-store.ts";
import { sluice } from "../basics/program-name.ts";

/** A damaged ledger says nothing; upkeep reports it. */
export async function readMustHave(ledger: DeletionLedger | undefined): Promise<MustHave> {
  const nothing = { auditAnchor: undefined, lastReceipt: undefined, inProgress: [] };
  if (ledger?.exists() !== true) return nothing;
  return ledger.state().catch(() => nothing);
}

/** A ledger that this user may not read must not be taken for an empty one: erased records could reappear. */
export function openOwnLedger(
  { dataDir }: Config,
  { storeId, now }: { readonly storeId: string; readonly now: () => number },
): DeletionLedger {
  const ledger = openStoreLedger(dataDir, storeId, { now });
  requireUsable(ledger.path, ledgerName);
  return ledger;
}

/** Throws if the store was rolled back to a backup: it may contain records that were erased since. */
export async function refuseRolledBack(app: App): Promise<void> {
  if (!app.ledger.exists()) return;
  const lost = await findLostLedger(app);
  if (lost !== undefined) throw new StoreError(lost);
  if (!(await wasRolledBack(app)) || (await adoptRestore(app))) return;
  throw new StoreError(`${ledgerAhead(app).message} Run: ${sluice} deletion replay`);
}

type LedgerOptions = Pick<StoreOptions, "role" | "restoring">;

/** What a command does is in the ledger before the command reports success. */
export async function makeClose(app: App, options: LedgerOptions): Promise<() => Promise<void>> {
  const { store } = app;
  if (options.role === "serve") return () => store.close();
  const before = await store.trail.head();
  return async () => {
    try {
      const after = await store.trail.head();
      if (after.no !== before.no) await noteInLedger(app, options);
    } finally {
      await store.close();
    }
  };
}

/** Nothing if other hosts serve the database: their ledgers record what is done from here, too. */
async function noteInLedger(app: App, { restoring = false }: LedgerOptions): Promise<void> {
  if (app.store.traits.isServer && !app.ledger.exists()) return;
  if (restoring && (await wasRolledBack(app))) return;
  await keepLedger(app);
}
