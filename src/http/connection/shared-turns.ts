// The turns of requests and chunked bodies of all connections, and the bound on bytes that wait to be parsed.

import { FairQueue, type QueuedItem } from "../../basics/fair-queue.ts";
import { ConnectionTurns } from "./connection-turns.ts";
import type { LingeringClose } from "./lingering-close.ts";

/** About a millisecond of work. */
export const requestsPerTurn = 16;

/** What of a connection waits. */
export interface Noted {
  bytes: number;
  place: QueuedItem<TurnTaker> | undefined;
}

interface TurnTaker {
  readonly noted: Noted;
  destroy(): unknown;
}

export class SharedTurns {
  /**
   * The turns of requests: the system hands over what thousands of connections have sent in the order in which it
   * arrived, and whoever sends next would wait until all of it is answered.
   */
  readonly requests = new ConnectionTurns({ perTurn: requestsPerTurn });
  readonly bodies = new ConnectionTurns();
  /** The turns of connections that end without a reply. */
  readonly closings = new ConnectionTurns();
  readonly lingering: LingeringClose;
  readonly #bytesMax: number;
  /**
   * In the order in which they began to wait. They are linked: a Map that fills and empties with every few requests
   * would allocate its tables among the old objects, which are costly to collect.
   */
  readonly #waiting = new FairQueue<TurnTaker>();
  bytes = 0;
  /** Connections that were closed because too many bytes waited. */
  refused = 0;

  constructor(bytesMax: number, lingering: LingeringClose) {
    this.#bytesMax = bytesMax;
    this.lingering = lingering;
  }

  /** Connections with bytes that wait for a reply or for the reader of a chunked body. */
  get waiting(): number {
    return this.#waiting.size;
  }

  note(connection: TurnTaker, bytes: number): void {
    const { noted } = connection;
    this.bytes += bytes - noted.bytes;
    noted.bytes = bytes;
    if (bytes > 0) noted.place ??= this.#waiting.push("", connection);
    else if (noted.place !== undefined) {
      this.#waiting.remove(noted.place);
      noted.place = undefined;
    }
    // One that is being closed must not close the next: thousands would exceed the stack.
    if (bytes > 0 && this.bytes > this.#bytesMax) this.#closeOldest();
  }

  /** The ones that have waited longest: a client that waits on purpose must not exclude others. */
  #closeOldest(): void {
    for (const { item: oldest } of this.#waiting.inTurn()) {
      if (this.bytes <= this.#bytesMax) return;
      this.refused += 1;
      // Notes that nothing waits any more.
      oldest.destroy();
    }
  }
}
