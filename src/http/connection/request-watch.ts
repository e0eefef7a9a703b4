// Watches requests in progress and ends those that take too long, in one sweep for all of them instead of a timer each.
// Streams are not watched: they may continue as long as bytes arrive.

import { Slots, type Ticket } from "../../basics/slots.ts";

export interface Watched {
  /** A value of `performance.now()`. */
  readonly startedAt: number;
}

export class RequestWatch<Item extends Watched> {
  readonly #items = new Slots<Item>();
  readonly #timer: NodeJS.Timeout;

  /** Calls `onOverdue` once for each item that started more than `limitMs` ago. */
  constructor(options: {
    readonly limitMs: number;
    readonly sweepMs: number;
    readonly onOverdue: (item: Item) => void;
  }) {
    let reportedUntil = -Infinity;
    this.#timer = setInterval(() => {
      const overdueUntil = performance.now() - options.limitMs;
      for (const item of this.#items) {
        const { startedAt } = item;
        if (startedAt > reportedUntil && startedAt <= overdueUntil) options.onOverdue(item);
      }
      reportedUntil = overdueUntil;
    }, options.sweepMs);
    this.#timer.unref();
  }

  begin(item: Item): Ticket {
    return this.#items.add(item);
  }

  /** Call exactly once for each ticket, even after `onOverdue`. */
  end(ticket: Ticket): void {
    this.#items.remove(ticket);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
