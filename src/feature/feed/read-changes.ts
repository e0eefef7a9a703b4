// Reads the next events of an organization's feed, in the order of arrival and in bounded parts. Types that a reader
// may not read leave no trace, neither in offsets nor in whether there is more.

import { findLastArrival, numbersAtOnce } from "../follow/last-arrival.ts";
import type { Arrival, OffsetCipher, Position } from "../../actions/change/offset.ts";
import type { App } from "../../actions/app.ts";
import { hourMs } from "../../basics/duration.ts";
import type { Turns } from "../../basics/turns.ts";
import type { ArrivedChange } from "../../domain/record/record-write.ts";
import { eventWriter } from "./change-event.ts";
import { type Cursor, momentOf, pass } from "./position.ts";
import { feedLimits } from "./rows.ts";

/** How many changes are read at a time; a change with content has up to 64 KiB. */
const thinAtOnce = 1_000;
const fullAtOnce = 64;
const eventsMax = feedLimits.replyEventsMax;
/** The expected length of an event, without and with its content, until it is known. */
const eventBytes = 300;
const fullBytes = 16 * 1_024;

export interface FeedView {
  readonly organizationId: string;
  /** The record types that the reader may read. */
  readonly readable: readonly string[];
  /** The types among them that the reader wants. */
  readonly types: readonly string[];
  readonly content: boolean;
}

export interface Reading {
  readonly view: FeedView;
  readonly from: Cursor;
  /** When a page has this length, no further event is added to it; it has at least one. */
  readonly bytesMax: number;
}

export interface FeedPage {
  /** The number of events. */
  readonly count: number;
  /** All of them as CloudEvents in JSON, made once for all readers that get the page. */
  readonly list: Buffer;
  /** The same bytes as an event of a stream. */
  readonly event: Buffer;
  readonly next: Cursor;
  /** The same position, as readers know it. */
  readonly offset: string;
  /** No further event had arrived. */
  readonly upToDate: boolean;
  /** All changes up to this number were stored when the page was read. */
  readonly through: number;
}

export interface Source extends Pick<App, "store" | "now"> {
  readonly turns: Turns;
  readonly cipher: OffsetCipher;
}

interface Extent {
  /** A number from the store: all changes up to it are stored. */
  readonly through: number;
  /** When it is aborted, reading stops with a page that is not up to date. */
  readonly signal?: AbortSignal | undefined;
  /** Called before the store is asked. */
  readonly onRead?: () => void;
}

/** What is read for all readers at the same position, wherever they began. */
export interface FeedPart extends Omit<FeedPage, "next" | "offset"> {
  /** The events, and the last change that was not wanted: what a reader passes with the part. */
  readonly passed: readonly Arrival[];
}

export function emptyPart(through: number): FeedPart {
  return { count: 0, ...bytesOf([]), upToDate: true, passed: [], through };
}

/** The tests of Durable Streams expect no space after `data:`. */
const eventHead = "event: data\ndata:";
const eventEnd = "\n\n";

function bytesOf(events: readonly string[]): Pick<FeedPage, "list" | "event"> {
  const event = Buffer.from(`${eventHead}[${events.join(",")}]${eventEnd}`);
  return { event, list: event.subarray(eventHead.length, -eventEnd.length) };
}

/** Uses only the start of the part, not the rest of `reading.from`. */
export async function readPart(
  source: Source,
  reading: Reading,
  extent: Extent,
): Promise<FeedPart> {
  const { organizationId } = reading.view;
  const { wanted, upToDate } = await collect(source, reading, extent);
  const unwanted = upToDate ? await findUnwanted(source, reading, { ...extent, wanted }) : [];
  const ids = source.cipher.eventIds(organizationId, wanted);
  const write = eventWriter(organizationId);
  const events = wanted.map((change, index) => write(change, ids[index] ?? ""));
  const passed = [...wanted, ...unwanted];
  const { through } = extent;
  return { count: wanted.length, ...bytesOf(events), upToDate, passed, through };
}

export function pageOf(
  { now, cipher }: Source,
  { view, from }: Reading,
  { passed, ...part }: FeedPart,
): FeedPage {
  const { through } = part;
  let position = pass(from.position, passed);
  if (part.upToDate) position = pastHidden(position, { now: now(), through });
  const scanned = part.upToDate ? Math.max(from.scanned, through) : position.changeNo;
  const offset = cipher.encode(view.organizationId, position);
  return { ...part, next: { position, scanned }, offset };
}

/** Reads one change more than will probably fit, to know whether there are more. Each read is a turn. */
async function collect(
  { store, turns }: Source,
  { view, from, bytesMax }: Reading,
  { through, signal, onRead }: Extent,
): Promise<{ readonly wanted: readonly ArrivedChange[]; readonly upToDate: boolean }> {
  const { organizationId, types, content } = view;
  const wanted: ArrivedChange[] = [];
  const [atOnce, firstBytes] = content ? [fullAtOnce, fullBytes] : [thinAtOnce, eventBytes];
  let [scanned, bytes] = [from.scanned, 0];
  while (scanned < through && types.length > 0) {
    await turns.next(organizationId);
    if (signal?.aborted === true) return { wanted, upToDate: false };
    const end = Math.min(through, scanned + numbersAtOnce);
    const usualBytes = wanted.length === 0 ? firstBytes : bytes / wanted.length;
    const fitting = Math.ceil(Math.max(0, bytesMax - bytes) / usualBytes);
    const limit = Math.min(atOnce, fitting + 1, eventsMax + 1 - wanted.length);
    const part = { organizationId, after: scanned, through: end, types, content, limit };
    onRead?.();
    const changes = await store.arrivals.list(part);
    for (const change of changes) {
      if (wanted.length >= eventsMax || bytes >= bytesMax) return { wanted, upToDate: false };
      wanted.push(change);
      bytes += eventBytes + Buffer.byteLength(change.payload ?? "");
    }
    scanned = changes.length < limit ? end : (changes.at(-1)?.changeNo ?? end);
  }
  return { wanted, upToDate: true };
}

/** The last change of other types that the reader may read, so that those are not scanned again. */
async function findUnwanted(
  source: Source,
  { view, from }: Reading,
  { through, wanted, signal }: Extent & { readonly wanted: readonly Arrival[] },
): Promise<readonly ArrivedChange[]> {
  const { organizationId, types, readable } = view;
  if (types.length === readable.length) return [];
  const after = wanted.at(-1)?.changeNo ?? from.scanned;
  const range = { organizationId, types: readable, after, through };
  const last = await findLastArrival(source, range, signal);
  return last === undefined ? [] : [last];
}

/**
 * Once an hour the offset of a reader at the end skips changes that it may not read, so that these are not scanned
 * again. Only the time decides when the offset changes; otherwise it would disclose that something has arrived.
 */
function pastHidden(
  position: Position,
  { now, through }: { now: number; through: number },
): Position {
  if (Math.floor(now / hourMs) * hourMs <= position.at) return position;
  return momentOf(Math.max(position.changeNo, through), now);
}
