// What every action gets: the store, the clock, and what this process remembers between requests.

import type { DeletionLedger, Store } from "../store/store.ts";
import type { CallerCache } from "./caller-cache.ts";
import type { InFlightKeys } from "./idempotency.ts";

export interface App {
  readonly store: Store;
  /** Outside the store, so that a backup of the store does not take it back in time. */
  readonly ledger: DeletionLedger;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly callers: CallerCache;
  readonly inFlight: InFlightKeys;
}
