// Wakes waiting readers when changes may have arrived for them. However many wait, the store gets only one query at a
// time.

import { setTimeout as sleep } from "node:timers/promises";
import { isWaitOver } from "../../basics/duration.ts";
import type { App } from "../../actions/app.ts";

/** The pause between two queries of the store; longer after a slow query. */
const lookMs = 40;
const lookServerMs = 100;
const restTimes = 4;
/** How long readers of consecutive pages can use the result of the last query. */
const recentMs = 200;
/** The pause after a query that failed. */
const failedLookMs = 1_000;

/** How often `Waiting.check` is called while a reader waits, and so the longest wait here. */
export const checkMs = 2_000;

export interface Awaited {
  readonly organizationId: string;
  /** Nothing has arrived up to this number. */
  readonly scanned: number;
  /** The reader waits until this time of the application's clock, in Unix milliseconds. */
  readonly until: number;
}

export interface Look extends Pick<Awaited, "scanned"> {
  /** There may be changes up to this number; undefined if the wait has ended without any. */
  readonly through?: number;
}

interface Waiter extends Awaited {
  scanned: number;
  readonly resolve: (look: Look) => void;
  readonly reject: (error: unknown) => void;
}

export class News {
  readonly #app: Pick<App, "store" | "now">;
  readonly #waiters = new Set<Waiter>();
  #looking = false;
  /** The number that the last query returned; undefined if nobody follows. */
  #seen: number | undefined;
  #seenAt = 0;

  constructor(app: Pick<App, "store" | "now">) {
    this.#app = app;
  }

  /** Resolves at once if the last query saw more than the reader has seen. Rejects if the store can't be read. */
  next(awaited: Awaited, signal: AbortSignal): Promise<Look> {
    const { scanned } = awaited;
    const seen = (this.#looking ? this.#seen : undefined) ?? 0;
    if (scanned < seen) return Promise.resolve({ scanned, through: seen });
    const { promise, ...settle } = Promise.withResolvers<Look>();
    const waiter = { ...awaited, ...settle };
    this.#waiters.add(waiter);
    const leave = (): void => this.#end(waiter);
    signal.addEventListener("abort", leave);
    if (!this.#looking) void this.#lookWhileAwaited();
    return promise.finally(() => signal.removeEventListener("abort", leave));
  }

  /** All readers who follow read the same. Rejects if the store can't be read. */
  async settled(): Promise<number> {
    if (this.#seen !== undefined && performance.now() < this.#seenAt + recentMs) return this.#seen;
    return this.#readSettled();
  }

  endAll(): void {
    for (const waiter of this.#waiters) this.#end(waiter);
  }

  #end(waiter: Waiter, through?: number): void {
    const { scanned } = waiter;
    if (this.#waiters.delete(waiter)) waiter.resolve({ scanned, ...(through && { through }) });
  }

  async #lookWhileAwaited(): Promise<void> {
    [this.#looking, this.#seen] = [true, undefined];
    const usualMs = this.#app.store.traits.isServer ? lookServerMs : lookMs;
    while (this.#waiters.size > 0) {
      const began = performance.now();
      let restMs = failedLookMs;
      try {
        await this.#look();
        restMs = Math.max(usualMs, (performance.now() - began) * restTimes);
      } catch (error) {
        this.#seen = undefined;
        for (const { reject } of this.#waiters) reject(error);
        this.#waiters.clear();
      }
      await sleep(restMs);
    }
    this.#looking = false;
    this.#seen = undefined;
  }

  async #readSettled(): Promise<number> {
    const { settled } = await this.#app.store.settledArrival();
    [this.#seen, this.#seenAt] = [settled, performance.now()];
    return settled;
  }

  async #look(): Promise<void> {
    const { store, now } = this.#app;
    const settled = await this.#readSettled();
    const behind = [...this.#waiters].filter(({ scanned }) => scanned < settled);
    if (behind.length > 0) {
      const news = await store.arrivals.find({
        organizations: [...new Set(behind.map(({ organizationId }) => organizationId))],
        after: Math.min(...behind.map(({ scanned }) => scanned)),
        through: settled,
      });
      const changed = new Set(news);
      for (const waiter of behind) {
        if (changed.has(waiter.organizationId)) this.#end(waiter, settled);
        else waiter.scanned = settled;
      }
    }
    for (const waiter of this.#waiters) {
      if (isWaitOver(waiter.until, now(), checkMs)) this.#end(waiter);
    }
  }
}
