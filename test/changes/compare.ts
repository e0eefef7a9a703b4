// Compares what consumers were given, event by event, with the feed at the end and with what the store holds. Only
// reports.

import { sortedJson } from "../crash/ledger.ts";

export interface FeedEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly data?: unknown;
}

/** A row of the table of changes, in the order of arrival. */
export interface StoredChange {
  readonly resourceType: string;
  readonly resourceId: string;
  readonly payload: string;
}

const findingsMax = 20;
export const erasedType = "sluice.record.erased";
export const completedType = "sluice.deletion.completed";

export function isNotice({ type }: FeedEvent): boolean {
  return type === erasedType || type === completedType;
}

/** The record that the event is of; of a notice, the record that was erased. */
export function recordOf({ type, subject, data }: FeedEvent): string {
  const named = /^sluice\.(.+)\.(?:created|updated)$/.exec(type)?.[1];
  const told = (data as { resource_type?: string } | undefined)?.resource_type;
  return `${named ?? told ?? ""}/${subject}`;
}

/** The whole feed with content has a record's changes as the store has them, in the same order, and nothing else. */
export function compareWithStore(
  feed: readonly FeedEvent[],
  stored: readonly StoredChange[],
): readonly string[] {
  const findings: string[] = [];
  const events = feed.filter((event) => !isNotice(event));
  const known = new Set<string>();
  for (let at = 0; at < Math.max(events.length, stored.length); at += 1) {
    const [event, change] = [events[at], stored[at]];
    const record = `${change?.resourceType}/${change?.resourceId}`;
    const type = `sluice.${change?.resourceType}.${known.has(record) ? "updated" : "created"}`;
    known.add(record);
    const isSame =
      event?.type === type &&
      event.subject === change?.resourceId &&
      sortedJson(event.data) === sortedJson(JSON.parse(change.payload));
    if (isSame) continue;
    findings.push(
      `event ${at + 1} of the feed is ${nameOf(event)}, and the store has ${type} ${record}`,
    );
    if (findings.length >= findingsMax) break;
  }
  return findings;
}

export interface Delivery {
  readonly name: string;
  /** In the order in which they were stored. */
  readonly delivered: Iterable<FeedEvent>;
  /** The feed at the end. */
  readonly feed: readonly FeedEvent[];
  /** Whether an event that the feed does not have any more may have been there. */
  readonly mayBeGone: (event: FeedEvent) => boolean;
}

/** Every event of the feed was delivered once, in its order; others are gone since, and were not delivered twice. */
export function compareDelivery({ name, delivered, feed, mayBeGone }: Delivery): readonly string[] {
  const findings: string[] = [];
  const places = new Map(feed.map(({ id }, place) => [id, place]));
  const gone = new Set<string>();
  let next = 0;
  for (const event of delivered) {
    const place = places.get(event.id);
    if (place === next) next += 1;
    else if (place !== undefined && place > next) {
      findings.push(`${name} skipped ${place - next} events, from ${nameOf(feed[next])}`);
      next = place + 1;
    } else if (place !== undefined) {
      findings.push(`${name} has ${nameOf(event)} twice, or after later ones`);
    } else if (gone.has(event.id)) findings.push(`${name} has ${nameOf(event)} twice`);
    else if (!mayBeGone(event)) findings.push(`${name} has ${nameOf(event)}, which is nowhere`);
    if (place === undefined) gone.add(event.id);
    if (findings.length >= findingsMax) return findings;
  }
  if (next < feed.length) {
    findings.push(`${name} lacks ${feed.length - next} events, from ${nameOf(feed[next])}`);
  }
  return findings;
}

export interface ToldDeletion {
  readonly deletionRequestId: string;
  /** Records by type. */
  readonly erased: Readonly<Record<string, number>>;
}

/**
 * A recipient was notified of each erased record once, after its events and before those of a new record with the same
 * id, and of the end of each deletion. `erased`: the records that have to be among them.
 */
export function compareNotices(
  delivered: Iterable<FeedEvent>,
  { deletions, erased }: { deletions: readonly ToldDeletion[]; erased: ReadonlySet<string> },
): readonly string[] {
  const findings: string[] = [];
  const told = new Map<string, number>();
  const [missing, alive, seen] = [new Set(erased), new Set<string>(), new Set<string>()];
  const count = (name: string): void => void told.set(name, (told.get(name) ?? 0) + 1);
  for (const event of delivered) {
    const record = recordOf(event);
    if (event.type === completedType) count(`${event.subject} completed`);
    else if (event.type === erasedType) {
      const { deletion_request_id: id = "" } = event.data as { deletion_request_id?: string };
      const notice = `${id} ${record}`;
      if (seen.has(notice)) findings.push(`the erasure of ${record} by ${id} was told twice`);
      seen.add(notice);
      count(`${id} ${record.split("/")[0]}`);
      missing.delete(record);
      alive.delete(record);
    } else if (event.type.endsWith(".created")) {
      if (alive.has(record)) findings.push(`${record} was created again without being erased`);
      alive.add(record);
    } else if (!alive.has(record)) findings.push(`${record} was updated after it was erased`);
  }
  for (const record of missing) findings.push(`the erasure of ${record} was not told`);
  return [...findings, ...compareCounts(told, deletions)].slice(0, findingsMax);
}

function compareCounts(
  told: Map<string, number>,
  deletions: readonly ToldDeletion[],
): readonly string[] {
  const findings: string[] = [];
  for (const { deletionRequestId: id, erased } of deletions) {
    for (const [name, expected] of [...Object.entries(erased), ["completed", 1] as const]) {
      const count = told.get(`${id} ${name}`) ?? 0;
      told.delete(`${id} ${name}`);
      if (count !== expected) findings.push(`${id} ${name}: told ${count} times, not ${expected}`);
    }
  }
  for (const name of told.keys()) findings.push(`nothing is known of ${name}, which was told`);
  return findings;
}

function nameOf(event: FeedEvent | undefined): string {
  return event === undefined ? "nothing" : `${event.type} ${event.subject} (${event.id})`;
}
