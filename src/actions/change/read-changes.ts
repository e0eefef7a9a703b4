// Reads the next events of an organization's feed, in the order of arrival and in bounded parts. What a reader may not
// read leaves no trace: not in offsets, and not in whether there is more.

import type { App } from "../app.ts";
import type { Turns } from "../../basics/turns.ts";
import { writeChangeEvent } from "../../domain/change-event.ts";
import { limits } from "../../domain/limits.ts";
import type { ArrivedChange } from "../../domain/record/record-write.ts";
import { type FeedCipher, passEvent, type Position } from "./offset.ts";

/** Arrival numbers that one statement covers, so that it is short however few of them the reader may read. */
const numbersAtOnce = 16_384;
/** Changes that are read at a time: those with content have up to 64 KiB each. */
const thinAtOnce = 1_000;
const fullAtOnce = 64;
const eventsMax = limits.changesReplyEventsMax;
/** About the length of an event without its content, and of one with it, until it is known how large they are. */
const eventBytes = 300;
const fullBytes = 16 * 1_024;

/** What a reader gets. */
export interface FeedView {
  readonly organizationId: string;
  /** The record types that the reader may read. */
  readonly readable: readonly string[];
  /** Those of them that the reader wants. */
  readonly types: readonly string[];
  readonly content: boolean;
}

/** How far a reader has come. */
export interface Cursor {
  readonly position: Position;
  /** No event of the reader is between the position and this arrival number. */
  readonly scanned: number;
}

export interface Reading {
  readonly view: FeedView;
  readonly from: Cursor;
  /** Beyond this no further event is added to a page; there is at least one. */
  readonly bytesMax: number;
}

export interface FeedPage {
  /** CloudEvents as JSON. */
  readonly events: readonly string[];
  /** All of them as a list, made once for all readers that get the page. */
  readonly list: string;
  readonly next: Cursor;
  /** The same place as readers know it. */
  readonly offset: string;
  /** No further event had arrived. */
  readonly upToDate: boolean;
}

export interface Source {
  readonly store: App["store"];
  readonly now: App["now"];
  readonly turns: Turns;
  readonly cipher: FeedCipher;
}

interface Extent {
  /** As the store says that all changes up to this number are stored. */
  readonly through: number;
  /** When it is aborted, reading stops with a page that is not up to date. */
  readonly signal?: AbortSignal | undefined;
}

/** What is read for all readers that have come as far, wherever they began. */
export interface FeedPart extends Pick<FeedPage, "events" | "list" | "upToDate"> {
  /** What the events are of, and the last change that was not wanted. */
  readonly passed: readonly Pick<ArrivedChange, "changeNo" | "receivedAt">[];
  readonly through: number;
}

/** Where the part begins is all that matters of `reading.from`. */
export async function readPart(
  source: Source,
  reading: Reading,
  extent: Extent,
): Promise<FeedPart> {
  const { organizationId } = reading.view;
  const { found, upToDate } = await collect(source, reading, extent);
  const unwanted = upToDate ? await findUnwanted(source, reading, { ...extent, found }) : [];
  const ids = source.cipher.eventIds(
    organizationId,
    found.map(({ changeNo }) => changeNo),
  );
  const events = found.map((change, index) =>
    writeChangeEvent({ ...change, organizationId, id: ids[index] ?? "" }),
  );
  const list = `[${events.join(",")}]`;
  return { events, list, upToDate, passed: [...found, ...unwanted], through: extent.through };
}

/** The part as a page of a reader that was at `from`. */
export function pageOf(
  { now, cipher }: Source,
  { view, from }: Reading,
  { events, list, upToDate, passed, through }: FeedPart,
): FeedPage {
  let position = passed.reduce(passEvent, from.position);
  if (upToDate) position = pastHidden(position, { now: now(), through });
  const scanned = upToDate ? Math.max(from.scanned, through) : position.changeNo;
  const offset = cipher.encode(view.organizationId, position);
  return { events, list, upToDate, next: { position, scanned }, offset };
}

interface Collected extends Pick<FeedPage, "upToDate"> {
  readonly found: readonly ArrivedChange[];
}

/**
 * Reads one change more than are likely to fit, to know whether there are any; what does not fit is read again for the
 * next page. Each read is a turn of the organization.
 */
async function collect(
  { store, turns }: Source,
  { view, from, bytesMax }: Reading,
  { through, signal }: Extent,
): Promise<Collected> {
  const { organizationId, types, content } = view;
  const found: ArrivedChange[] = [];
  const [atOnce, firstBytes] = content ? [fullAtOnce, fullBytes] : [thinAtOnce, eventBytes];
  let [scanned, bytes] = [from.scanned, 0];
  while (scanned < through && types.length > 0) {
    await turns.next(organizationId);
    if (signal?.aborted === true) return { found, upToDate: false };
    const end = Math.min(through, scanned + numbersAtOnce);
    const usualBytes = found.length === 0 ? firstBytes : bytes / found.length;
    const fitting = Math.ceil(Math.max(0, bytesMax - bytes) / usualBytes);
    const limit = Math.min(atOnce, fitting + 1, eventsMax + 1 - found.length);
    const part = { organizationId, after: scanned, through: end, types, content, limit };
    const changes = await store.arrivals.list(part);
    for (const change of changes) {
      if (found.length >= eventsMax || bytes >= bytesMax) return { found, upToDate: false };
      found.push(change);
      bytes += eventBytes + Buffer.byteLength(change.payload ?? "");
    }
    scanned = changes.length < limit ? end : (changes.at(-1)?.changeNo ?? end);
  }
  return { found, upToDate: true };
}

/** The last change of the types that the reader may read, if it wants only some: it is not to be scanned again. */
async function findUnwanted(
  { store }: Source,
  { view, from }: Reading,
  { through, found }: Extent & Pick<Collected, "found">,
): Promise<readonly ArrivedChange[]> {
  const { organizationId, types, readable } = view;
  if (types.length === readable.length) return [];
  const last = found.at(-1)?.changeNo ?? from.scanned;
  const after = Math.max(last, through - numbersAtOnce);
  const part = { organizationId, after, through, types: readable, content: false, limit: 1 };
  return store.arrivals.list({ ...part, fromEnd: true });
}

const hourMs = 3_600_000;

/**
 * Once an hour a reader at the end passes what it may not read, so that this is not scanned again. The time alone
 * decides when its offset changes: otherwise that would disclose that something has arrived.
 */
function pastHidden(position: Position, at: { now: number; through: number }): Position {
  const hour = Math.floor(at.now / hourMs) * hourMs;
  return hour > position.at ? { changeNo: at.through, at: hour, following: 0 } : position;
}
