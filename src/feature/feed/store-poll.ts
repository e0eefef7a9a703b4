// Wakes waiting readers when changes may have arrived for them. However many wait, the store gets only one query at a
// time.

import { setTimeout as sleep } from "node:timers/promises";
import { isWaitOver } from "../../basics/duration.ts";
import type { App } from "../../actions/app.ts";

/** The pause between two queries of the store; longer after a slow query. */
const pauseMs = 40;
const serverPauseMs = 100;
const pauseTimes = 4;
/** The pause after a query that failed. */
const failedPauseMs = 1_000;

/** How often `LongPoll.check` is called while a reader waits, and so the longest wait here. */
export const checkMs = 2_000;

interface Awaited {
  readonly organizationId: string;
  /** Nothing has arrived up to this number. */
  readonly scanned: number;
  /** The reader waits until this time of the application's clock, in Unix milliseconds. */
  readonly until: number;
}

interface Polled extends Pick<Awaited, "scanned"> {
  /** There may be changes up to this number; undefined if the wait has ended without any. */
  readonly through?: number;
}

interface Waiter extends Awaited {
  scanned: number;
  readonly resolve: (polled: Polled) => void;
  readonly reject: (error: unknown) => void;
}

export class StorePoll {
  readonly #app: Pick<App, "store" | "now">;
  readonly #waiters = new Set<Waiter>();
  #isPolling = false;
  /** The number that the last query returned; 0 if nobody waits. */
  #settled = 0;

  constructor(app: Pick<App, "store" | "now">) {
    this.#app = app;
  }

  /** Resolves at once if the last query returned more than the reader has seen. Rejects if the store can't be read. */
  next(awaited: Awaited, signal: AbortSignal): Promise<Polled> {
    const { scanned } = awaited;
    if (scanned < this.#settled) return Promise.resolve({ scanned, through: this.#settled });
    const { promise, ...settle } = Promise.withResolvers<Polled>();
    const waiter = { ...awaited, ...settle };
    this.#waiters.add(waiter);
    const leave = (): void => this.#end(waiter);
    signal.addEventListener("abort", leave);
    if (!this.#isPolling) void this.#pollWhileAwaited();
    return promise.finally(() => signal.removeEventListener("abort", leave));
  }

  #end(waiter: Waiter, through?: number): void {
    const { scanned } = waiter;
    if (this.#waiters.delete(waiter)) waiter.resolve({ scanned, ...(through && { through }) });
  }

  async #pollWhileAwaited(): Promise<void> {
    this.#isPolling = true;
    const usualMs = this.#app.store.traits.isServer ? serverPauseMs : pauseMs;
    while (this.#waiters.size > 0) {
      const began = performance.now();
      let waitMs = failedPauseMs;
      try {
        await this.#poll();
        waitMs = Math.max(usualMs, (performance.now() - began) * pauseTimes);
      } catch (error) {
        this.#settled = 0;
        for (const { reject } of this.#waiters) reject(error);
        this.#waiters.clear();
      }
      await sleep(waitMs);
    }
    [this.#isPolling, this.#settled] = [false, 0];
  }

  async #poll(): Promise<void> {
    const { store, now } = this.#app;
    const { settled } = await store.settledArrival();
    this.#settled = settled;
    const behind = [...this.#waiters].filter(({ scanned }) => scanned < settled);
    if (behind.length > 0) {
      const found = await store.arrivals.find({
        organizations: [...new Set(behind.map(({ organizationId }) => organizationId))],
        after: Math.min(...behind.map(({ scanned }) => scanned)),
        through: settled,
      });
      const changed = new Set(found);
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
