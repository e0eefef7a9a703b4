// The position of each receiver of events in the audit trail. One process at a time sends to a receiver. The end time
// of a lease identifies it: no two leases have the same one, because a lease is granted only after the previous one.

import { reader } from "../../row/reader.ts";
import { get, list, run, type Statements } from "../statement/statements.ts";
import type { EventDestination } from "../../../domain/event.ts";

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

const listAll = `SELECT destination, entry_no FROM event_cursor ORDER BY destination`;

const insert = `
  INSERT INTO event_cursor (destination, entry_no, lease_until) VALUES ($1, 0, 0)
  ON CONFLICT (destination) DO NOTHING`;

const claim = `
  UPDATE event_cursor SET lease_until = $2 WHERE destination = $1 AND lease_until < $3
  RETURNING entry_no`;

const settle = `
  UPDATE event_cursor SET entry_no = $3, lease_until = 0 WHERE destination = $1 AND lease_until = $2
  RETURNING entry_no`;

const toCursor = reader<EventCursor>({});

/** Receivers to which nothing was sent yet are left out. */
export function* listCursors(): Statements<readonly EventCursor[]> {
  return yield* list(toCursor, listAll);
}

/** Returns the last entry that the receiver has; undefined if another process sends to it. */
export function* claimCursor({
  destination,
  now,
  until,
}: EventLease): Statements<number | undefined> {
  yield* run(insert, destination);
  const claimed = yield* get<{ entry_no: number }>(claim, destination, until, now);
  return claimed?.entry_no;
}

/** Does nothing, and returns false, if another process has claimed the receiver since. */
export function* settleCursor({
  destination,
  entryNo,
  until,
}: EventSettlement): Statements<boolean> {
  const settled = yield* get<{ entry_no: number }>(settle, destination, until, entryNo);
  return settled !== undefined;
}
