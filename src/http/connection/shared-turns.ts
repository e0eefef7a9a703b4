// The turns of requests and chunked bodies of all connections, and the bound on bytes that wait to be parsed.

import { ConnectionTurns } from "./connection-turns.ts";
import type { LingeringClose } from "./lingering-close.ts";

/** About a millisecond of work. */
export const requestsPerTurn = 16;

interface Waiting {
  destroy(): unknown;
}

export class SharedTurns {
  /**
   * The turns of requests: the system hands over what thousands of connections have sent in the order in which it
   * arrived, and whoever sends next would wait until all of it is answered.
   */
  readonly requests = new ConnectionTurns({ perTurn: requestsPerTurn });
  readonly bodies = new ConnectionTurns();
  readonly lingering: LingeringClose;
  readonly #bytesMax: number;
  readonly #waiting = new Map<Waiting, number>();
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

  note(connection: Waiting, bytes: number): void {
    const known = this.#waiting.get(connection);
    if (known === undefined && bytes === 0) return;
    this.bytes += bytes - (known ?? 0);
    if (bytes === 0) this.#waiting.delete(connection);
    else this.#waiting.set(connection, bytes);
    // The ones that have waited longest: a client that waits on purpose must not exclude others.
    for (const oldest of this.#waiting.keys()) {
      if (this.bytes <= this.#bytesMax) return;
      this.refused += 1;
      // Notes that nothing waits any more.
      oldest.destroy();
    }
  }
}
