// Detects that the store under a serving process is no longer the one that it opened. A PostgreSQL database can be put
// back to an earlier state while processes serve it, for example by a failover to a replica that lagged, and it can be
// replayed then. Stops nothing itself.

import type { App } from "../app.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { keepLedger, ledgerAhead, wasRolledBack } from "./keep-ledger.ts";

/**
 * Returns a function that updates the ledger. It throws OperatorError ledger_ahead if the store lacks something that
 * the ledger contains, and store_replayed if a replay has begun since.
 */
export async function watchStore(app: App): Promise<() => Promise<void>> {
  const { replay, arrivals } = app.store;
  const timelines = async () => JSON.stringify(await arrivals.timelines());
  const opened = await timelines();
  return async () => {
    // Each replay begins a timeline.
    if ((await replay.restoreState()) !== undefined || (await timelines()) !== opened) {
      throw new OperatorError(
        "store_replayed",
        "An operator has replayed the deletions of the store while this process served it, so what the process knows of " +
          "the store may be wrong. Start it again when the replay has ended.",
      );
    }
    if (await wasRolledBack(app)) throw ledgerAhead(app);
    await keepLedger(app);
  };
}

export function isReplaced(error: unknown): error is OperatorError {
  return (
    error instanceof OperatorError && ["ledger_ahead", "store_replayed"].includes(error.errorName)
  );
}
