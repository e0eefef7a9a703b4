// Watches requests in progress and ends those that take too long, in one sweep for all of them instead of a timer each.
// Streams are not watched: they may continue as long as bytes arrive.
//
// Items are stored in an array of reusable slots. A Set would do the same in fewer lines, but the tables that it
// outgrows keep short-lived requests alive until the next major collection, which would cost more than the rest of the
// request handling.

export interface Watched {
  /** A value of `performance.now()`. */
  readonly startedAt: number;
}

/** The index of an item, to be released when it has ended. */
export type Ticket = number;

export class RequestWatch<Item extends Watched> {
  readonly #slots: (Item | undefined)[] = [];
  readonly #free: Ticket[] = [];
  readonly #timer: NodeJS.Timeout;

  /** Calls `onOverdue` once for each item that started more than `limitMs` ago. */
  constructor(options: {
    readonly limitMs: number;
    readonly sweepMs: number;
    readonly onOverdue: (item: Item) => void;
  }) {
    this.#timer = setInterval(() => {
      const oldest = performance.now() - options.limitMs;
      for (const [ticket, item] of this.#slots.entries()) {
        if (item === undefined || item.startedAt > oldest) continue;
        this.#slots[ticket] = undefined;
        options.onOverdue(item);
      }
    }, options.sweepMs);
    this.#timer.unref();
  }

  begin(item: Item): Ticket {
    const ticket = this.#free.pop() ?? this.#slots.length;
    this.#slots[ticket] = item;
    return ticket;
  }

  /** To be called exactly once per ticket, also after `onOverdue`. */
  end(ticket: Ticket): void {
    this.#slots[ticket] = undefined;
    this.#free.push(ticket);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
