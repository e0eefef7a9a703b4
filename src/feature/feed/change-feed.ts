// The feed of changes in a process: reads pages, and lets readers wait for new ones. Readers that wait at the same
// position share one read, whether they poll or follow a stream.

import type { OffsetCipher } from "../../actions/change/offset.ts";
import { isWaitOver } from "../../basics/duration.ts";
import { Turns } from "../../basics/turns.ts";
import { AppError } from "../../domain/error.ts";
import { type Cursor, momentOf } from "./position.ts";
import {
  emptyPart,
  type FeedPage,
  type FeedPart,
  pageOf,
  type Reading,
  readPart,
  type Source,
} from "./read-changes.ts";
import { feedLimits } from "./rows.ts";
import { checkMs, StorePoll } from "./store-poll.ts";

/** The same, or undefined for the end of the feed. */
export type Beginning = Omit<Reading, "from"> & { readonly from: Cursor | undefined };

export type PolledPage = Pick<FeedPage, "count" | "list" | "offset" | "upToDate">;

export interface LongPoll {
  /** Unix milliseconds, by the clock of the application; undefined if only the signal ends it. */
  readonly until: number | undefined;
  readonly signal: AbortSignal;
  /** Throws if the reader may not get the next page. */
  readonly check: () => unknown;
  /** When the request arrived, by `performance.now()`. */
  readonly since: number;
}

export function isOver({ until, signal }: LongPoll, now: number): boolean {
  if (signal.aborted) return true;
  return until !== undefined && isWaitOver(until, now, feedLimits.streamMs);
}

/** Pages with content are expensive, and are read on the thread that accepts connections. */
const loopIterations = 16;

interface SharedPart {
  /** When the store was asked, by `performance.now()`; infinite while the read waits for its turn. */
  beganAt: number;
  readonly part: Promise<FeedPart>;
}

export class ChangeFeed {
  readonly #source: Source;
  readonly #poll: StorePoll;
  /** Reads in progress for waiting readers. */
  readonly #parts = new Map<string, SharedPart>();

  constructor({ store, now }: Pick<Source, "store" | "now">, cipher: OffsetCipher) {
    this.#source = { store, now, turns: new Turns({ loopIterations }), cipher };
    this.#poll = new StorePoll({ store, now });
  }

  /** Throws AppError offset_gone. */
  async read(reading: Beginning, signal?: AbortSignal): Promise<FeedPage> {
    const { settled, start } = await this.begin(reading.from);
    const placed = { ...reading, from: start };
    const part = await readPart(this.#source, placed, { through: settled, signal });
    return pageOf(this.#source, placed, part);
  }

  /** Returns the start of a reader, and up to where changes are stored. Throws AppError offset_gone. */
  async begin(from: Cursor | undefined): Promise<{ settled: number; start: Cursor }> {
    const { store, now } = this.#source;
    const { settled, latest } = await store.settledArrival();
    const start = from ?? { position: momentOf(settled, now()), scanned: settled };
    // The store was replaced by an older one without a replay, which would have begun a timeline.
    if (start.position.changeNo > latest) throw new AppError("offset_gone");
    return { settled, start };
  }

  /**
   * Returns the next page that has an event. If the wait ends without one, returns a page without events, which is the
   * same whatever has arrived that the reader may not read. Rejects if the store can't be read.
   */
  async wait(reading: Reading, waiting: LongPoll): Promise<FeedPage> {
    const { until, signal, check } = waiting;
    const { organizationId } = reading.view;
    let { from } = reading;
    let page: FeedPage | undefined;
    for (;;) {
      // An event that arrives during a check is delivered after the next check, because the token
      // may have ended meanwhile.
      const now = this.#source.now();
      await check();
      if (page !== undefined && page.count > 0) return page;
      if (isOver(waiting, now)) {
        return pageOf(this.#source, { ...reading, from }, emptyPart(from.scanned));
      }
      const awaited = {
        organizationId,
        scanned: from.scanned,
        until: Math.min(until ?? Infinity, now + checkMs),
      };
      const { scanned, through } = await this.#poll.next(awaited, signal);
      from = { ...from, scanned };
      if (through === undefined) continue;
      page = await this.#readShared({ ...reading, from }, waiting, through);
      from = page.next;
    }
  }

  /**
   * The same for a long poll, with the parts that follow. They are those of a stream, so that each is read once.
   */
  async poll(reading: Reading, waiting: LongPoll): Promise<PolledPage> {
    let last = await this.wait(reading, waiting);
    const parts = [last];
    const { signal } = waiting;
    while (!last.upToDate && parts.length < feedLimits.pollPartsMax && !signal.aborted) {
      last = await this.#readNext(reading, last, waiting);
      parts.push(last);
    }
    const { offset, upToDate } = last;
    const count = parts.reduce((sum, part) => sum + part.count, 0);
    return { count, list: joinLists(parts), offset, upToDate };
  }

  /** Yields pages as long as there are any, then each further one that has an event. Ends and rejects like `wait`. */
  async *follow(reading: Beginning, waiting: LongPoll): AsyncGenerator<FeedPage> {
    let page = await this.read(reading, waiting.signal);
    for (;;) {
      yield page;
      if (isOver(waiting, this.#source.now())) return;
      if (page.upToDate) {
        page = await this.wait({ ...reading, from: page.next }, waiting);
        if (page.count === 0) return;
      } else {
        page = await this.#readNext(reading, page, waiting);
      }
    }
  }

  async #readNext(
    reading: Omit<Reading, "from">,
    { next: from, through }: FeedPage,
    waiting: LongPoll,
  ): Promise<FeedPage> {
    await waiting.check();
    return this.#readShared({ ...reading, from }, waiting, through);
  }

  /** A read that began before the request is not shared: a record in it may have been erased since. */
  async #readShared(reading: Reading, { since }: LongPoll, through: number): Promise<FeedPage> {
    const { view, from, bytesMax } = reading;
    const key = JSON.stringify([from.scanned, bytesMax, view]);
    const shared = this.#parts.get(key);
    const isRecent = shared !== undefined && shared.beganAt >= since;
    const { part } = isRecent ? shared : this.#beginPart(key, reading, through);
    return pageOf(this.#source, reading, await part);
  }

  #beginPart(key: string, reading: Reading, through: number): SharedPart {
    const onRead = (): void => {
      shared.beganAt = Math.min(shared.beganAt, performance.now());
    };
    const part = readPart(this.#source, reading, { through, onRead });
    const shared = { beganAt: Infinity, part };
    this.#parts.set(key, shared);
    const end = (): void => {
      if (this.#parts.get(key) === shared) this.#parts.delete(key);
    };
    shared.part.finally(end).catch(() => undefined);
    return shared;
  }
}

/** Joins arrays in JSON; a single one is not copied. */
function joinLists(pages: readonly FeedPage[]): Buffer {
  const [first, ...others] = pages.filter(({ count }) => count > 0).map(({ list }) => list);
  if (first === undefined || others.length === 0) return first ?? emptyPart(0).list;
  const between = Buffer.from(",");
  const further = others.flatMap((list) => [between, list.subarray(1, -1)]);
  return Buffer.concat([first.subarray(0, -1), ...further, first.subarray(-1)]);
}
