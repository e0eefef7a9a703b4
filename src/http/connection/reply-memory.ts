// Counts the bytes of replies that clients have not taken yet, over all connections, and bounds them. Replies whose bytes
// all connections share, such as the OpenAPI document, take no memory of their own and are not counted.

import type { ServerResponse } from "node:http";

export class ReplyMemory {
  readonly #bytesMax: number;
  #bytes = 0;
  #refused = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes of replies that wait for their clients, each with its whole length until it is gone. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Replies that were given up, and their connections closed, because too many bytes waited. */
  get refused(): number {
    return this.#refused;
  }

  /** To be called when a reply of `bytes` has been handed over whole. Nearly always the system takes it at once. */
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
