// Bounds the share of the event loop that pages of the console use, so that they don't slow down intake: pages are made
// one after the other, and after each one, other work has three times as long as the page took.

import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../domain/error.ts";

const pauseFactor = 3;
const pauseMsMax = 250;
/** How long a page waits at most for an earlier one, which may itself wait for a slow database. */
const waitMsMax = 1_000;
/** The maximum number of pages that wait or are made, of one person and in total; a further request is refused. */
const ofPersonMax = 16;
const openMax = 256;

/** Makes pages one after the other. A serving process has one queue. */
export class PageQueue {
  #before: Promise<void> = Promise.resolve();
  readonly #open: string[] = [];

  /** Throws AppError unavailable if too many pages wait or are made. */
  async run<Page>(personId: string, make: () => Promise<Page>): Promise<Page> {
    const own = this.#open.filter((id) => id === personId).length;
    if (own >= ofPersonMax || this.#open.length >= openMax) {
      throw new AppError("unavailable", {
        message: "Too many pages are waiting to be shown. Reload this one in a moment.",
        retryAfterSeconds: 1,
      });
    }
    const before = this.#before;
    const { promise, resolve: done } = Promise.withResolvers<void>();
    this.#before = promise;
    this.#open.push(personId);
    await Promise.race([before, sleep(waitMsMax, undefined, { ref: false })]);
    const startedAt = performance.now();
    try {
      return await make();
    } finally {
      this.#open.splice(this.#open.indexOf(personId), 1);
      const pauseMs = Math.min(pauseMsMax, (performance.now() - startedAt) * pauseFactor);
      setTimeout(done, pauseMs).unref();
    }
  }
}
