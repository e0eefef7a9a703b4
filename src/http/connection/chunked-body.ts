// Joins the chunks of a body (RFC 9112, section 7.1) between the parser and the reader. The parser makes a call and a
// buffer for each chunk, however small; here the chunks of a packet become one buffer. Drops nothing.

import { IncomingMessage } from "node:http";
import { freeMemory } from "../../basics/own-memory.ts";

export interface ChunkedBodyEvents {
  /** The parser has called for a chunk. */
  readonly onChunk: () => void;
  readonly onEnd: () => void;
  /** The reader has room again. */
  readonly onWanted: () => void;
}

export class ChunkedBody {
  readonly #request: IncomingMessage;
  readonly #events: ChunkedBodyEvents;
  #bytesMax = 0;
  #gathered: Buffer<ArrayBuffer> | undefined;
  #length = 0;
  #isFull = false;

  /** Replaces two methods of the request, which Node's parser and its own stream call. */
  constructor(request: IncomingMessage, events: ChunkedBodyEvents) {
    this.#request = request;
    this.#events = events;
    Object.assign(request, {
      push: (chunk: Buffer | null) => this.#push(chunk),
      // Node's own method would resume a socket that waits for its turn.
      _read: () => {
        this.#isFull = false;
        events.onWanted();
      },
    });
  }

  /** Call before the parser gets a packet of this size, which no chunks in it exceed. */
  expect(packetBytes: number): void {
    this.#bytesMax = packetBytes;
  }

  /** Passes on what was gathered. Returns false if the reader has enough for now. */
  flush(): boolean {
    const gathered = this.#gathered;
    if (gathered === undefined) return !this.#isFull;
    // Owns its memory, which can then be transferred to another thread.
    const chunk = Buffer.from(gathered.buffer.transfer(this.#length));
    this.#gathered = undefined;
    this.#length = 0;
    this.#pass(chunk);
    return !this.#isFull;
  }

  /** Returns true, because for false Node would stop the socket itself. */
  #push(chunk: Buffer | null): true {
    if (chunk === null) {
      this.flush();
      this.#events.onEnd();
      this.#pass(null);
      return true;
    }
    this.#events.onChunk();
    // The packet of this chunk was not announced, or is too large to be worth a copy.
    if (this.#length + chunk.length > this.#bytesMax) {
      this.flush();
      this.#pass(chunk);
      return true;
    }
    this.#gathered ??= Buffer.allocUnsafeSlow(this.#bytesMax);
    this.#gathered.set(chunk, this.#length);
    this.#length += chunk.length;
    // The parser has made it for this call.
    freeMemory(chunk);
    return true;
  }

  #pass(chunk: Buffer | null): void {
    this.#isFull = !IncomingMessage.prototype.push.call(this.#request, chunk);
  }
}
