// Bounds the bytes of replies that clients have not received yet, over all connections. Bytes that all connections
// share, such as the OpenAPI document, need no additional memory and are not counted.

import type { ServerResponse } from "node:http";

export class ReplyMemory {
  readonly #bytesMax: number;
  #bytes = 0;
  #refused = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes of replies that wait to be sent. Each counts with its full length until it is finished. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Replies that were abandoned, with their connections closed, because too many bytes waited. */
  get refused(): number {
    return this.#refused;
  }

  /** Call when a whole reply of `bytes` has been written. Usually the system accepts it immediately. */
  track(response: ServerResponse, bytes: number): void {
    if (response.writableLength === 0) return;
    if (this.#bytes + bytes > this.#bytesMax) {
      this.#refused += 1;
      response.destroy();
      return;
    }
    this.#bytes += bytes;
    response.once("close", () => (this.#bytes -= bytes));
  }
}
