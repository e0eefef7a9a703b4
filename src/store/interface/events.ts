// Which entries of the audit trail each receiver of events has, and which process sends to it.

import type { EventDestination } from "../../domain/event.ts";

export interface EventCursor {
  readonly destination: EventDestination;
  /** The last entry that the receiver has; 0 before the first. */
  readonly entryNo: number;
}

export interface EventLease {
  readonly destination: EventDestination;
  readonly now: number;
  /** No other process sends to the receiver before this time. */
  readonly until: number;
}

/** Ends a lease. `entryNo`: the last entry that the receiver has now. */
export interface EventSettlement extends EventCursor {
  readonly until: number;
}
