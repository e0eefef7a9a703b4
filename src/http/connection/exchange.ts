// A request in progress and its reply: how much of its body may be passed to the parser. A chunked body is passed only
// when its reader asks for it, in turns, because every chunk costs a call of the parser, however small it is.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { endUnlessAsked } from "../body/expectation.ts";

/** What a chunked body passes on in one turn, in parts, which an empty line also ends. */
const turnBytes = 64 * 1_024;
const partBytes = 4 * 1_024;
const turnPartsMax = 64;
/** The same while its chunks are small: a hundred of them, in eight turns, take about two milliseconds. */
const turnOfSmallChunksBytes = 512;
/** A turn ends after the part in which its framing exceeds this: its chunks have become small. */
const turnFramingBytesMax = 512;
/** A longer body that no handler reads ends its connection; a shorter one is read, and the connection stays open. */
export const unaskedBytesMax = 64 * 1_024;
/** The size of a chunk and two line ends, in a chunk that is as short as one may be on average. */
const chunkFramingBytes = 6;

export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly isChunked: boolean;
  /** When the time limit begins: again with a reply that is sent early; Infinity if there is none, as for an upload. */
  beganAt = performance.now();
  isAnswered = false;
  /** True when no more of its body may be parsed. */
  isBroken = false;
  #bytesLeft: number;
  #isAsked = false;
  #isWaiting = false;
  #turnBytes = 0;
  #turnParts = 0;
  /** The framing passed on before this turn. */
  #framingBefore = 0;
  /** Bytes of a chunked body: passed on, with the framing, and read, without it. */
  #passed = 0;
  #read = 0;
  /** The parts that ended with an empty line before the end of what had arrived. */
  #parts = 0;

  constructor(request: IncomingMessage, response: ServerResponse, onAsked: () => void) {
    this.request = request;
    this.response = response;
    const { "transfer-encoding": coding, "content-length": length = "0" } = request.headers;
    this.isChunked = coding !== undefined;
    this.#bytesLeft = Number(length);
    if (this.isChunked) {
      endUnlessAsked(request, response, () => {
        this.#isAsked = true;
        // The reader attaches its own listener before anything is passed on.
        request.on("data", (chunk: Buffer) => (this.#read += chunk.length));
        onAsked();
      });
    } else if (this.#bytesLeft > unaskedBytesMax) endUnlessAsked(request, response);
  }

  /** Whether the rest of a body that nobody has read is read for the next request. */
  get isWorthReading(): boolean {
    return !this.isChunked && !this.isBroken && this.#bytesLeft <= unaskedBytesMax;
  }

  /** True for many chunks that are very small on average: most of what arrives is framing. The same for empty lines. */
  get isFlood(): boolean {
    const { chunksMin, chunkBytesMeanMin } = limits;
    if (this.#parts > chunksMin && this.#passed < this.#parts * chunkBytesMeanMin) return true;
    return this.#hasSmallChunks && this.#framing > chunksMin * chunkFramingBytes;
  }

  get #framing(): number {
    return this.#passed - this.#read - this.request.readableLength;
  }

  /** True also before anything is known of its chunks. */
  get #hasSmallChunks(): boolean {
    return this.#framing * limits.chunkBytesMeanMin >= this.#read * chunkFramingBytes;
  }

  /** Ends a body with an error for its reader, who then ends the reply. Returns false if a chunked one has none. */
  fault(error: AppError): boolean {
    if (this.isChunked && !this.#isAsked) return false;
    this.isBroken = true;
    // With its socket, the request would also destroy the connection.
    const request: { socket: Socket | null } = this.request;
    const { socket } = request;
    request.socket = null;
    this.request.destroy(error);
    request.socket = socket;
    return true;
  }

  /** Returns whether the body has a turn; otherwise asks for one, once. `ask` may give it at once. */
  takeTurn(ask: (given: () => void) => void): boolean {
    if (!this.#isAsked || this.isAnswered) return false;
    if (this.#framing - this.#framingBefore > turnFramingBytesMax) this.#turnBytes = 0;
    if (this.#turnBytes === 0 && !this.#isWaiting) {
      this.#isWaiting = true;
      ask(() => {
        this.#isWaiting = false;
        this.#turnBytes = this.#hasSmallChunks ? turnOfSmallChunksBytes : turnBytes;
        this.#turnParts = turnPartsMax;
        this.#framingBefore = this.#framing;
      });
    }
    return this.#turnBytes > 0;
  }

  /** How many of the bytes that have arrived belong to the body. */
  takeBytes(arrived: number): number {
    const length = Math.min(arrived, this.#bytesLeft);
    this.#bytesLeft -= length;
    return length;
  }

  /** How many of the bytes may be passed on in this turn: as many as `find` returns for the most that may be. */
  takeChunks(arrived: number, find: (most: number) => number): number {
    const most = Math.min(arrived, this.#turnBytes, partBytes);
    const length = find(most);
    this.#passed += length;
    if (length < most) this.#parts += 1;
    this.#turnParts -= 1;
    this.#turnBytes = this.#turnParts === 0 ? 0 : this.#turnBytes - length;
    return length;
  }
}
