// The feed of changes in a serving process: reads pages, and lets readers wait for the next ones. All that wait cost
// one look at the store at a time, however many they are; those that wait at the same place get the same page, read
// once.

import type { App } from "../app.ts";
import { FeedCipher } from "./offset.ts";
import { type Cursor, type FeedPage, type FeedView, readChanges } from "./read-changes.ts";
import { AppError, unavailable } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";

/** How long a look rests before the next; it rests longer after one that took long. */
const lookMs = 40;
const lookServerMs = 100;
const restTimes = 4;
/** How long the next look waits after one that failed. */
const failedLookMs = 1_000;

const eventsMax = limits.changesReplyEventsMax;

interface Waiter {
  readonly view: FeedView;
  readonly bytesMax: number;
  readonly cursor: Cursor;
  /** Readers with the same key get the same page. */
  readonly key: string;
  /** The time by the application's clock, in Unix milliseconds. */
  readonly until: number;
  readonly resolve: (page: FeedPage | undefined) => void;
  readonly reject: (error: unknown) => void;
  scanned: number;
}

export interface Reading {
  readonly view: FeedView;
  readonly bytesMax: number;
  /** Undefined for the end of the feed. */
  readonly from: Cursor | undefined;
}

export class ChangeFeed {
  readonly #app: App;
  readonly #waiters = new Set<Waiter>();
  readonly #open = new Map<string, number>();
  #cipher: FeedCipher | undefined;
  #looking = false;
  /** The number up to which the last look went; undefined if nobody waits. */
  #seen: number | undefined;
  #stopped = false;

  constructor(app: App) {
    this.#app = app;
  }

  /** Requests that wait, or that may wait again. */
  get readers(): number {
    return this.#open.get("") ?? 0;
  }

  async cipher(): Promise<FeedCipher> {
    return (this.#cipher ??= new FeedCipher(await this.#app.store.receiptSaltKey()));
  }

  /** Throws AppError offset_gone. */
  async read({ view, from, bytesMax }: Reading, signal?: AbortSignal): Promise<FeedPage> {
    if (from === undefined) return this.end({ view, from });
    return this.#readUpTo(await this.#settled(from), { view, from, bytesMax }, signal);
  }

  /**
   * The same for a reader that waits if there is nothing: while others wait, it sees what the last look has seen.
   * Otherwise readers that come back for each event would all read at different times, and share nothing.
   */
  async readLive(reading: Reading): Promise<FeedPage> {
    const { from } = reading;
    const seen = this.#seen;
    if (from === undefined || seen === undefined || from.position.changeNo > seen) {
      return this.read(reading);
    }
    return this.#readUpTo(seen, { ...reading, from });
  }

  async #readUpTo(
    through: number,
    { view, from, bytesMax }: Reading & { readonly from: Cursor },
    signal?: AbortSignal,
  ): Promise<FeedPage> {
    const cipher = await this.cipher();
    return readChanges(this.#app, { view, from, cipher }, { eventsMax, bytesMax, through, signal });
  }

  /** The end of the feed, as a page without events. Throws AppError offset_gone for where the reader would begin. */
  async end({ view, from }: Pick<Reading, "view" | "from">): Promise<FeedPage> {
    const scanned = await this.#settled(from);
    const position = { changeNo: scanned, at: this.#app.now(), following: 0 };
    const offset = (await this.cipher()).encode(view.organizationId, position);
    return { events: [], list: "[]", upToDate: true, next: { position, scanned }, offset };
  }

  async #settled(from: Cursor | undefined): Promise<number> {
    const { settled, latest } = await this.#app.store.settledArrival();
    // The store was replaced by an older one.
    if (from !== undefined && from.position.changeNo > latest) throw new AppError("offset_gone");
    return settled;
  }

  /**
   * Counts a live request until the function is called that it returns. Throws AppError rate_limited or unavailable.
   */
  begin({ organizationId, keyId }: { organizationId: string; keyId: string }): () => void {
    const counts: readonly (readonly [owner: string, max: number])[] = [
      ["", limits.changeReadersMax],
      [`organization ${organizationId}`, limits.organizationChangeReadersMax],
      [`key ${keyId}`, limits.keyChangeReadersMax],
    ];
    for (const [owner, max] of counts) {
      if ((this.#open.get(owner) ?? 0) >= max) throw tooMany(owner, max);
    }
    for (const [owner] of counts) this.#open.set(owner, (this.#open.get(owner) ?? 0) + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      for (const [owner] of counts) {
        const left = (this.#open.get(owner) ?? 0) - 1;
        if (left > 0) this.#open.set(owner, left);
        else this.#open.delete(owner);
      }
    };
  }

  /**
   * The next page that has an event; undefined if there was none until then, the feed was stopped, or the signal was
   * aborted. Rejects if the store can't be read.
   */
  wait(
    { view, from, bytesMax }: Reading & { readonly from: Cursor },
    { until, signal }: { readonly until: number; readonly signal: AbortSignal },
  ): Promise<FeedPage | undefined> {
    if (this.#stopped || signal.aborted) return Promise.resolve(undefined);
    const waiting = Promise.withResolvers<FeedPage | undefined>();
    const { scanned, position } = from;
    const key = `${position.changeNo} ${position.at} ${position.following} ${bytesMax} ${view.key}`;
    const waiter: Waiter = { view, bytesMax, cursor: from, key, until, ...waiting, scanned };
    this.#waiters.add(waiter);
    const leave = (): void => this.#settle(waiter, undefined);
    signal.addEventListener("abort", leave);
    if (!this.#looking) void this.#look();
    return waiting.promise.finally(() => signal.removeEventListener("abort", leave));
  }

  /** Whether all waiting has ended, because the process is asked to stop. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Ends all waiting, now and later. */
  stop(): void {
    this.#stopped = true;
    for (const waiter of this.#waiters) this.#settle(waiter, undefined);
  }

  #settle(waiter: Waiter, page: FeedPage | undefined): void {
    if (this.#waiters.delete(waiter)) waiter.resolve(page);
  }

  /** Looks as long as anybody waits. */
  async #look(): Promise<void> {
    this.#looking = true;
    const usualMs = this.#app.store.traits.isServer ? lookServerMs : lookMs;
    while (this.#waiters.size > 0) {
      const began = performance.now();
      let restMs = usualMs;
      try {
        await this.#serve();
        restMs = Math.max(usualMs, (performance.now() - began) * restTimes);
      } catch (error) {
        this.#seen = undefined;
        for (const waiter of this.#waiters) {
          this.#waiters.delete(waiter);
          waiter.reject(error);
        }
        restMs = failedLookMs;
      }
      await new Promise((resolve) => setTimeout(resolve, restMs));
    }
    this.#looking = false;
    this.#seen = undefined;
  }

  async #serve(): Promise<void> {
    const now = this.#app.now();
    for (const waiter of this.#waiters) if (waiter.until <= now) this.#settle(waiter, undefined);
    const { settled: through } = await this.#app.store.settledArrival();
    this.#seen = through;
    const behind = [...this.#waiters].filter(({ scanned }) => scanned < through);
    if (behind.length === 0) return;
    const news = await this.#app.store.arrivals.find({
      organizations: [...new Set(behind.map(({ view }) => view.organizationId))],
      after: Math.min(...behind.map(({ scanned }) => scanned)),
      through,
    });
    const changed = new Set(news);
    const cipher = await this.cipher();
    for (const waiter of behind) {
      if (!changed.has(waiter.view.organizationId)) waiter.scanned = through;
    }
    const groups = Map.groupBy(
      behind.filter(({ scanned }) => scanned < through),
      ({ key, scanned }) => `${scanned} ${key}`,
    );
    for (const group of groups.values()) await this.#serveGroup(group, { cipher, through });
  }

  async #serveGroup(
    group: readonly Waiter[],
    { cipher, through }: { readonly cipher: FeedCipher; readonly through: number },
  ): Promise<void> {
    const [first] = group;
    if (first === undefined) return;
    const from = { position: first.cursor.position, scanned: first.scanned };
    const page = await readChanges(
      this.#app,
      { view: first.view, from, cipher },
      { eventsMax, bytesMax: first.bytesMax, through },
    );
    for (const waiter of group) {
      if (page.events.length > 0) this.#settle(waiter, page);
      else waiter.scanned = page.next.scanned;
    }
  }
}

function tooMany(owner: string, max: number): AppError {
  if (owner === "") return unavailable("busy", { retryAfterSeconds: 1 });
  const whose = owner.startsWith("key ") ? "API key" : "organization";
  return new AppError("rate_limited", {
    message: `Your ${whose} already has ${max} live requests for changes in progress, which is the maximum. Try again when one has ended.`,
    retryAfterSeconds: 1,
  });
}
