// How far each receiver of events has the audit trail, and which process sends to it.

import type { EventDestination } from "../../domain/event.ts";

export interface EventCursor {
  readonly destination: EventDestination;
  /** The last entry that the receiver has; 0 before the first. */
  readonly entryNo: number;
}

export interface EventLease {
  readonly destination: EventDestination;
  readonly now: number;
  /** Until when no other process sends. */
  readonly until: number;
}

/** Ends a lease. `entryNo`: the last entry that the receiver has now. */
export interface EventSettlement extends EventCursor {
  readonly until: number;
}
