// Bounds the bytes of replies that clients have not received yet. Bytes that all connections share don't count.

import type { ServerResponse } from "node:http";

export class ReplyMemory {
  readonly #bytesMax: number;
  /** Bytes of replies that wait to be sent. Each counts with its full length until it is finished. */
  bytes = 0;
  refused = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Call when a whole reply of `bytes` has been written. Usually the system accepts it immediately. */
  track(response: ServerResponse, bytes: number): void {
    if (response.writableLength === 0) return;
    if (this.bytes + bytes > this.#bytesMax) {
      this.refused += 1;
      response.destroy();
      return;
    }
    this.bytes += bytes;
    response.once("close", () => (this.bytes -= bytes));
  }
}
