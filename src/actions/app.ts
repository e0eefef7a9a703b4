// What every action gets: the store, the ledger, the clock, who operates it, and what this process remembers between requests.

import type { DeletionLedger } from "../store/ledger.ts";
import type { Store } from "../store/store.ts";
import type { CallerCache } from "./caller-cache.ts";
import type { InFlightKeys } from "./idempotency.ts";

/** Signs with the key of receipts, as that is now. */
export interface Signer {
  readonly keyId: string;
  /** Base64url. */
  sign(text: string): string;
}

export interface App {
  readonly store: Store;
  /** Outside the store, so that a backup of the store does not take it back in time. */
  readonly ledger: DeletionLedger;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Who does what is done here without a request: the name for the audit trail. */
  readonly operator: string;
  /** For the ledger; undefined where this process has no key. */
  readonly signer: () => Signer | undefined;
  readonly callers: CallerCache;
  readonly inFlight: InFlightKeys;
}
