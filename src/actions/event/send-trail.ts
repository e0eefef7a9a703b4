// Sends the audit trail to a receiver of events, in order, from the receiver's position on. The position is stored
// after the receiver has the entries: a crash in between repeats a batch, and never skips an entry.

import type { AuditEntry } from "../../domain/access.ts";
import {
  type EventDestination,
  type OutEvent,
  type OutValue,
  trailEvents,
} from "../../domain/event.ts";
import type { App } from "../app.ts";

/** Longer than a batch can take. */
const leaseMs = 20_000;
const batchBytesMax = 256 * 1_024;
const textLengthMax = 1_024;
const listLengthMax = 32;

export interface TrailSending {
  readonly destination: EventDestination;
  readonly storeId: string;
  readonly entriesMax: number;
  /** The last entry that the receiver had according to the last query of this process. */
  readonly known: number | undefined;
  /** Rejects unless the receiver has received all of them. */
  readonly send: (events: readonly OutEvent[]) => Promise<void>;
}

/** How many entries were sent, and the last one that the receiver has. */
export interface TrailSent {
  readonly count: number;
  readonly entryNo: number;
}

/** Sends one batch. Undefined if the receiver has everything, or another process sends. Rejects as `send` does. */
export async function sendTrail(
  app: Pick<App, "store" | "now">,
  { destination, storeId, entriesMax, known, send }: TrailSending,
): Promise<TrailSent | undefined> {
  const { store } = app;
  if ((await store.trail.head()).no === known) return undefined;
  const until = app.now() + leaseMs;
  // Nobody else serves an embedded store, so a lease there belongs to a process that was killed.
  const now = store.traits.isServer ? app.now() : Number.MAX_SAFE_INTEGER;
  const from = await store.events.claim({ destination, now, until });
  if (from === undefined) return undefined;
  let entryNo = from;
  try {
    const batch = withinBytes(
      (await store.listAudit(from, entriesMax)).map((entry) => eventOf(entry, storeId)),
    );
    if (batch.length > 0) await send(batch);
    entryNo = Number(batch.at(-1)?.fields["entry_no"] ?? from);
    return { count: batch.length, entryNo };
  } finally {
    await store.events.settle({ destination, until, entryNo });
  }
}

/** The first events, at least one. */
function withinBytes(events: readonly OutEvent[]): readonly OutEvent[] {
  let bytes = 0;
  const end = events.findIndex((event, index) => {
    bytes += Buffer.byteLength(JSON.stringify(event));
    return index > 0 && bytes > batchBytesMax;
  });
  return end < 0 ? events : events.slice(0, end);
}

export function eventOf(entry: AuditEntry, storeId: string): OutEvent {
  const { action: name, at, entryNo, actor, organizationId, subject, detail } = entry;
  // A later version that served the same database before may have written actions that are unknown here.
  const known = Object.hasOwn(trailEvents, name)
    ? trailEvents[name as keyof typeof trailEvents]
    : { detail: [] };
  const leaving = known.detail?.map((field) => [`detail.${field}`, valueOf(detail[field])]) ?? [];
  const fields = {
    entry_no: entryNo,
    store_id: storeId,
    actor: valueOf(actor),
    organization_id: valueOf(organizationId),
    subject: "subject" in known ? valueOf(subject) : undefined,
    ...(Object.fromEntries(leaving) as Record<string, OutValue | undefined>),
  };
  return { name, at, isWarning: false, fields };
}

function valueOf(value: unknown): OutValue | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "string") return value.slice(0, textLengthMax);
  if (!Array.isArray(value)) return undefined;
  return value.slice(0, listLengthMax).map((one) => String(one).slice(0, textLengthMax));
}

/**
 * How many seconds the oldest entry that a receiver lacks has waited; 0 if it lacks none. Never how many entries it is
 * behind: those that read metrics may not know how many there are.
 */
export async function readLag(
  { store, now }: Pick<App, "store" | "now">,
  destinations: readonly EventDestination[],
): Promise<Readonly<Record<string, number>>> {
  if (destinations.length === 0) return {};
  const cursors = await store.events.list();
  const lags = destinations.map(async (destination) => {
    const cursor = cursors.find((one) => one.destination === destination);
    const [oldest] = await store.listAudit(cursor?.entryNo ?? 0, 1);
    const lagMs = oldest === undefined ? 0 : now() - oldest.at;
    return [destination, Math.max(0, lagMs) / 1_000] as const;
  });
  return Object.fromEntries(await Promise.all(lags));
}
