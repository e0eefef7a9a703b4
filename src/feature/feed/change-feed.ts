// The feed of changes in a process: reads pages, and lets readers wait for new ones. Readers that wait at the same
// position share one read, whether they poll or follow a stream.

import type { App } from "../../actions/app.ts";
import { Turns } from "../../basics/turns.ts";
import { AppError, unavailable } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { findLastArrival, type Range } from "../../actions/change/last-arrival.ts";
import { checkMs, News } from "./store-poll.ts";
import { FeedCipher, momentOf } from "../../actions/change/offset.ts";
import {
  type Cursor,
  type FeedPage,
  type FeedPart,
  joinPages,
  pageOf,
  type Reading,
  readPart,
  restingPage,
  type Source,
} from "./read-changes.ts";

/** The same, or undefined for the end of the feed. */
export type Beginning = Omit<Reading, "from"> & { readonly from: Cursor | undefined };

export interface Waiting {
  /** Unix milliseconds, by the clock of the application. */
  readonly until: number;
  readonly signal: AbortSignal;
  /** Throws if the reader may not get the next page. */
  readonly check?: () => unknown;
  /** When the request arrived, by `performance.now()`; by default when the wait begins. */
  readonly since?: number;
}

/** Pages with content are expensive, and are read on the thread that accepts connections. */
const loopIterations = 16;

interface SharedPart {
  readonly beganAt: number;
  readonly part: Promise<FeedPart>;
}

export class ChangeFeed {
  readonly #app: App;
  readonly #source: Source;
  readonly #news: News;
  /** Reads in progress for waiting readers. */
  readonly #parts = new Map<string, SharedPart>();
  #stopped = false;

  constructor(app: App, cipher: FeedCipher) {
    this.#app = app;
    const { store, now } = app;
    this.#source = { store, now, turns: new Turns({ loopIterations }), cipher };
    this.#news = new News(app);
  }

  static async open(app: App): Promise<ChangeFeed> {
    return new ChangeFeed(app, await FeedCipher.open(app.store));
  }

  get cipher(): FeedCipher {
    return this.#source.cipher;
  }

  /** Throws AppError offset_gone. */
  async read(reading: Beginning, signal?: AbortSignal): Promise<FeedPage> {
    const { settled, start } = await this.#start(reading);
    const placed = { ...reading, from: start };
    const part = await readPart(this.#source, placed, { through: settled, signal });
    return pageOf(this.#source, placed, part);
  }

  /** Returns a page without events. Throws AppError offset_gone. */
  async begin(reading: Beginning): Promise<FeedPage> {
    const { start } = await this.#start(reading);
    const offset = this.cipher.encode(reading.view.organizationId, start.position);
    return { count: 0, list: Buffer.from("[]"), upToDate: true, next: start, offset };
  }

  async hasEvents(range: Range): Promise<boolean> {
    return (await findLastArrival(this.#source, range)) !== undefined;
  }

  /**
   * Returns the next page that has an event. If the wait ends without one, or the feed is stopped, or the signal is
   * aborted, returns a page without events, which is the same whatever has arrived that the reader may not read.
   * Rejects if the store can't be read, or if the feed had been stopped before: a reader that was told that nothing has
   * arrived would ask again at once.
   */
  async wait(reading: Reading, waiting: Waiting): Promise<FeedPage> {
    this.#requireRunning();
    const { since = performance.now() } = waiting;
    const { organizationId } = reading.view;
    const { until, signal, check } = waiting;
    let { from } = reading;
    let page: FeedPage | undefined;
    for (;;) {
      // An event that arrives during a check is delivered after the next check, because the token
      // may have ended meanwhile.
      const now = this.#app.now();
      await check?.();
      if (page !== undefined && page.count > 0) return page;
      if (this.isOver(waiting, now)) return restingPage(this.#source, { ...reading, from });
      const awaited = {
        organizationId,
        scanned: from.scanned,
        until: Math.min(until, now + checkMs),
      };
      const { scanned, through } = await this.#news.next(awaited, signal);
      from = { ...from, scanned };
      if (through === undefined) continue;
      page = await this.#readShared(through, { ...reading, from }, since);
      from = page.next;
    }
  }

  /** Like `wait`, with further events if there are any. */
  async poll(reading: Reading, given: Waiting): Promise<FeedPage> {
    const waiting = { since: performance.now(), ...given };
    const pages: FeedPage[] = [];
    let page = await this.wait(reading, waiting);
    while (page.count > 0) {
      pages.push(page);
      const isEnough = page.upToDate || pages.length === limits.changesPollPartsMax;
      if (isEnough || this.isOver(waiting)) break;
      page = await this.#next({ ...reading, from: page.next }, waiting);
    }
    return joinPages(pages) ?? page;
  }

  /** Yields pages as long as there are any, then each further one that has an event. Ends and rejects like `wait`. */
  async *follow(reading: Beginning, given: Waiting): AsyncGenerator<FeedPage> {
    const waiting = { since: performance.now(), ...given };
    this.#requireRunning();
    let page = await this.read(reading, waiting.signal);
    for (;;) {
      yield page;
      if (this.isOver(waiting)) return;
      const further: Reading = { ...reading, from: page.next };
      if (page.upToDate) {
        page = await this.wait(further, waiting);
        if (page.count === 0) return;
      } else page = await this.#next(further, waiting);
    }
  }

  /** Ends all waiting, now and later. */
  stop(): void {
    this.#stopped = true;
    this.#news.endAll();
  }

  isOver({ until, signal }: Waiting, now = this.#app.now()): boolean {
    return this.#stopped || signal.aborted || now >= until;
  }

  #requireRunning(): void {
    if (this.#stopped) throw unavailable("closing", { retryAfterSeconds: 1 });
  }

  async #start({ from }: Beginning): Promise<{ settled: number; start: Cursor }> {
    const { settled, latest } = await this.#app.store.settledArrival();
    const start = from ?? { position: momentOf(settled, this.#app.now()), scanned: settled };
    // The store was replaced by an older one without a replay, which would have begun a timeline.
    if (start.position.changeNo > latest) throw new AppError("offset_gone");
    return { settled, start };
  }

  async #next(reading: Reading, { check, since = 0 }: Waiting): Promise<FeedPage> {
    await check?.();
    return this.#readShared(await this.#news.settled(), reading, since);
  }

  /** A read that began before the request is not shared: a record in it may have been erased since. */
  async #readShared(through: number, reading: Reading, since: number): Promise<FeedPage> {
    const { view, from } = reading;
    const key = JSON.stringify([from.scanned, through, view]);
    const shared = this.#parts.get(key);
    const isRecent = shared !== undefined && shared.beganAt >= since;
    const { part } = isRecent ? shared : this.#beginPart(key, reading, through);
    return pageOf(this.#source, reading, await part);
  }

  #beginPart(key: string, reading: Reading, through: number): SharedPart {
    const bytesMax = limits.changesPartBytesMax;
    const part = readPart(this.#source, { ...reading, bytesMax }, { through });
    const shared = { beganAt: performance.now(), part };
    this.#parts.set(key, shared);
    const end = (): void => {
      if (this.#parts.get(key) === shared) this.#parts.delete(key);
    };
    part.finally(end).catch(() => undefined);
    return shared;
  }
}
