// Reads the next events of an organization's feed, in the order of arrival and in bounded parts. What a reader may not
// read leaves no trace: not in offsets, and not in whether there is more.

import { setImmediate as nextTurn } from "node:timers/promises";
import { writeChangeEvent } from "../../domain/change-event.ts";
import type { ArrivedChange } from "../../domain/record/record-write.ts";
import type { App } from "../app.ts";
import { type FeedCipher, passEvent, type Position } from "./offset.ts";

/** Arrival numbers that one statement covers, so that it is short however few of them the reader may read. */
const numbersAtOnce = 16_384;
/** Changes that are read at a time: those with content have up to 64 KiB each. */
const thinAtOnce = 1_000;
const fullAtOnce = 64;
/** How many with content are read before it is known how large they are. */
const firstFull = 8;
/** After this time others have their turn. */
const turnMs = 5;
/** About the length of an event without its content. */
const eventBytes = 300;

/** What a reader gets. */
export interface FeedView {
  readonly organizationId: string;
  /** The record types that the reader may read. */
  readonly readable: readonly string[];
  /** Those of them that the reader wants. */
  readonly types: readonly string[];
  readonly content: boolean;
  /** Readers with the same key see the same. */
  readonly key: string;
}

export function makeView(view: Omit<FeedView, "key">): FeedView {
  return { ...view, key: JSON.stringify(view) };
}

/** How far a reader has come. */
export interface Cursor {
  readonly position: Position;
  /** No event of the reader is between the position and this arrival number. */
  readonly scanned: number;
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

export interface PageBounds {
  /** The store says that all changes up to this number are stored. */
  readonly through: number;
  readonly eventsMax: number;
  /** Beyond this no further event is added; there is at least one. */
  readonly bytesMax: number;
  readonly signal?: AbortSignal | undefined;
}

/** Stops when the signal is aborted, as a page that is not up to date. */
export async function readChanges(
  app: Pick<App, "store">,
  { view, from, cipher }: { view: FeedView; from: Cursor; cipher: FeedCipher },
  bounds: PageBounds,
): Promise<FeedPage> {
  const { found, upToDate } = await collect(app, { view, scanned: from.scanned }, bounds);
  let { position } = from;
  for (const { changeNo, receivedAt } of found) {
    position = passEvent(position, changeNo, receivedAt);
  }
  if (upToDate) position = await pastUnwanted(app, { view, position, through: bounds.through });
  const { organizationId } = view;
  const ids = cipher.eventIds(
    organizationId,
    found.map(({ changeNo }) => changeNo),
  );
  const events = found.map((change, index) =>
    writeChangeEvent({ ...change, organizationId, id: ids[index] ?? "" }),
  );
  const scanned = upToDate ? Math.max(from.scanned, bounds.through) : position.changeNo;
  const offset = cipher.encode(organizationId, position);
  const list = `[${events.join(",")}]`;
  return { events, list, upToDate, next: { position, scanned }, offset };
}

/** Reads one change more than fit, to know whether there are any. */
async function collect(
  app: Pick<App, "store">,
  { view, ...from }: { readonly view: FeedView; readonly scanned: number },
  { through, eventsMax, bytesMax, signal }: PageBounds,
): Promise<{ readonly found: readonly ArrivedChange[]; readonly upToDate: boolean }> {
  const { organizationId, types, content } = view;
  const found: ArrivedChange[] = [];
  let bytes = 0;
  let turnBegan = performance.now();
  for (let { scanned } = from; scanned < through && types.length > 0;) {
    if (signal?.aborted === true) return { found, upToDate: false };
    const end = Math.min(through, scanned + numbersAtOnce);
    const limit = Math.min(
      content ? fitting({ bytes, count: found.length, bytesMax }) : thinAtOnce,
      eventsMax + 1 - found.length,
    );
    const part = { organizationId, after: scanned, through: end, types, content, limit };
    const changes = await app.store.arrivals.list(part);
    for (const change of changes) {
      if (found.length >= eventsMax || bytes >= bytesMax) return { found, upToDate: false };
      found.push(change);
      bytes += eventBytes + Buffer.byteLength(change.payload ?? "");
    }
    scanned = changes.length < limit ? end : (changes.at(-1)?.changeNo ?? end);
    if (performance.now() - turnBegan < turnMs) continue;
    await nextTurn();
    turnBegan = performance.now();
  }
  return { found, upToDate: true };
}

/** How many more are likely to fit, and one: what is read beyond the bound is read again for the next page. */
function fitting(read: { bytes: number; count: number; bytesMax: number }): number {
  const { bytes, count, bytesMax } = read;
  if (count === 0) return firstFull;
  const left = Math.max(0, bytesMax - bytes);
  return Math.min(fullAtOnce, Math.ceil((left * count) / bytes) + 1);
}

/** Passes events of types that the reader may read and does not want, so that they are not scanned again. */
async function pastUnwanted(
  app: Pick<App, "store">,
  { view, position, through }: { view: FeedView; position: Position; through: number },
): Promise<Position> {
  const { organizationId, types, readable } = view;
  if (types.length === readable.length) return position;
  const after = Math.max(position.changeNo, through - numbersAtOnce);
  const part = { organizationId, after, through, types: readable, content: false, limit: 1 };
  const [last] = await app.store.arrivals.list({ ...part, fromEnd: true });
  if (last === undefined) return position;
  return passEvent(position, last.changeNo, last.receivedAt);
}
