// Detects that the store under a serving process is no longer the one that it opened, and lets the ledger of a host
// continue from a restore for which deletions were replayed with that of another one. A PostgreSQL database can be put
// back to an earlier state while processes serve it, for example by a failover to a replica that lagged, and it can be
// replayed then. Stops nothing itself.

import { AppError, EarlierState } from "../../domain/error.ts";
import type { App } from "../app.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { keepLedger, ledgerAhead, wasRolledBack, restoreOf } from "./keep-ledger.ts";
import { isDeepStrictEqual } from "node:util";
import type { RestoreEntry } from "../../domain/deletion/ledger-entry.ts";
import { auditPages } from "../pages.ts";
import { readLedgers } from "./read-ledgers.ts";

/** An earlier state may be there for moments, while a failover has not ended. */
export const earlierStateMs = 60_000;

/**
 * Returns a function that updates the ledger. Throws OperatorError store_replayed if a replay has begun since, and
 * ledger_ahead if the store has lacked something that the ledger contains for `earlierStateMs`: then the process has to
 * be stopped. Before that, such a store is not used: every request gets an error.
 */
export async function watchStore(app: App): Promise<() => Promise<void>> {
  const { store } = app;
  const requireSame = await makeStoreCheck(app);
  let earlierSince: number | undefined;
  return async () => {
    try {
      await requireSame();
      await keepLedger(app);
      earlierSince = undefined;
    } catch (error) {
      if (!isEarlierState(error)) throw error;
      // The connection may be to a server that was the primary before; the next ones are checked.
      store.renewConnections();
      earlierSince ??= app.now();
      throw app.now() < earlierSince + earlierStateMs ? error : ledgerAhead(app);
    }
  };
}

/** Throws OperatorError store_replayed if a replay has begun since, and EarlierState. */
export async function makeStoreCheck(app: App): Promise<() => Promise<void>> {
  const { replay, arrivals } = app.store;
  const timelines = async () => JSON.stringify(await arrivals.timelines());
  const opened = await timelines();
  return async () => {
    if ((await replay.restoreState()) !== undefined) throw storeReplayed();
    if (await wasRolledBack(app)) throw new EarlierState();
    // Each replay begins a timeline.
    if ((await timelines()) !== opened) throw storeReplayed();
  };
}

export function storeReplayed(): OperatorError {
  return new OperatorError(
    "store_replayed",
    "An operator has restored the store or replayed its deletions while this process used it, so what the process knows " +
      "of the store may be wrong. Start it again when that has ended.",
  );
}

/** Found here, or by the store on a new connection. */
function isEarlierState(error: unknown): boolean {
  if (error instanceof OperatorError) return error.errorName === "ledger_ahead";
  return (
    error instanceof EarlierState || (error instanceof AppError && isEarlierState(error.cause))
  );
}

export function isReplaced(error: unknown): error is OperatorError {
  return (
    error instanceof OperatorError && ["ledger_ahead", "store_replayed"].includes(error.errorName)
  );
}

/** Notes the last restore in the ledger if it explains what the store lacks; true if no replay is needed. */
export async function adoptRestore(app: App): Promise<boolean> {
  const { store, ledger } = app;
  if ((await store.replay.restoreState()) !== undefined) return false;
  const restore = await findLastRestore(app);
  const { auditAnchor } = await ledger.state();
  if (restore === undefined || (auditAnchor?.no ?? 0) <= restore.audit.restored.no) return false;
  // If the ledger knows it, the store was put back to an earlier state once more.
  if (await isNoted(app, restore)) return false;
  const { unreplayed, uncancelled, holds, floors, settings } = await readLedgers(app, []);
  const lacking = holds.place.length + holds.release.length + floors.length + settings.length;
  if (unreplayed + uncancelled + lacking > 0) return false;
  await ledger.note([restore]);
  return !(await wasRolledBack(app));
}

async function findLastRestore(app: App): Promise<RestoreEntry | undefined> {
  let last: RestoreEntry | undefined;
  for await (const page of auditPages(app, 0)) {
    last = page.flatMap((entry) => restoreOf(entry) ?? []).at(-1) ?? last;
  }
  return last;
}

async function isNoted({ ledger }: App, { entry }: RestoreEntry): Promise<boolean> {
  for await (const { entries } of ledger.readParts()) {
    const isIt = entries.some(
      (one) => one.kind === "restore" && isDeepStrictEqual(one.entry, entry),
    );
    if (isIt) return true;
  }
  return false;
}
