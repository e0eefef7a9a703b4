// Watches requests that are under way and ends those that take too long, in one sweep for all instead of a timer each.
// Streams are not watched: they may take as long as bytes keep coming.

import type { IncomingMessage, ServerResponse } from "node:http";

export interface Watched {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly startedAt: number;
}

export class RequestWatch<Item extends Watched> {
  readonly #underWay = new Set<Item>();
  readonly #timer: NodeJS.Timeout;

  /** Calls `onOverdue` once for each item that was begun more than `limitMs` ago. */
  constructor(options: {
    readonly limitMs: number;
    readonly sweepMs: number;
    readonly onOverdue: (item: Item) => void;
  }) {
    this.#timer = setInterval(() => {
      const oldest = performance.now() - options.limitMs;
      for (const item of this.#underWay) {
        // In order of beginning, so the first that is young enough ends the sweep.
        if (item.startedAt > oldest) return;
        this.#underWay.delete(item);
        options.onOverdue(item);
      }
    }, options.sweepMs);
    this.#timer.unref();
  }

  begin(item: Item): void {
    this.#underWay.add(item);
  }

  end(item: Item): void {
    this.#underWay.delete(item);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
