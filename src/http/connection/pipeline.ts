// Requests of one connection are executed one after another, as they came (RFC 9112, section 9.3.2): the next one starts
// when the operating system has taken the reply before it. Until then it waits, and nothing behind it is read or parsed.
// So nothing that follows the last reply of a connection is ever executed, whatever made it the last.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { answerUpgrade } from "./client-error.ts";
import { resumeParser, stopParserIf } from "./parser.ts";
import { resumeReading, stopReading } from "./reading.ts";

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export class Pipelines {
  /** Connections with a request that waits, and how many bytes behind it are kept. */
  readonly #waiting = new Map<Socket, number>();
  readonly #bytesMax: number;
  #bytes = 0;
  #refused = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Requests that wait for the reply before theirs: at most one for each connection. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Bytes behind them that were received and are not parsed yet. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Connections that were closed because there was no room for what they had sent. */
  get refused(): number {
    return this.#refused;
  }

  /** To be called once for each connection. */
  watch(socket: Socket): void {
    stopParserIf(socket, () => this.#waiting.has(socket));
    socket.once("close", () => this.#forget(socket));
  }

  /** What Node is given to handle requests; `handle` gets each in its turn, and only if its reply can be sent. */
  inTurn(handle: RequestHandler): RequestHandler {
    const start: RequestHandler = (request, response) => {
      if (!request.socket.writable) return;
      if (request.headers.upgrade !== undefined) answerUpgrade(request, response);
      handle(request, response);
    };
    return (request, response) => {
      // Before anything is read or written: without a listener an error would end the process.
      request.on("error", ignore);
      response.on("error", ignore);
      const { socket } = request;
      // Node gives a reply its connection when the one before it is done, and never if that was the last.
      if (response.socket !== null) start(request, response);
      else if (this.#wait(socket)) {
        // Where the parser goes on to the end of its packet, the request holds what it read.
        process.nextTick(() => this.#count(socket, request.readableLength));
        response.once("socket", () => {
          // Node is about to write what the reply holds; and other connections get a turn in between.
          setImmediate(() => {
            this.#goOn(socket);
            start(request, response);
          });
        });
      }
    };
  }

  /** Takes what came behind a request that waits; it is read again when that has started. */
  keep(socket: Socket, bytes: Buffer): void {
    if (!this.#count(socket, bytes.length)) return;
    // A small rest must not keep the whole packet in memory.
    const isSmall = bytes.length * 2 < bytes.buffer.byteLength;
    socket.unshift(isSmall ? Buffer.from(bytes) : bytes);
  }

  /** False if nothing is to be kept. */
  #count(socket: Socket, bytes: number): boolean {
    const kept = this.#waiting.get(socket);
    if (kept === undefined || bytes === 0) return false;
    if (this.#bytes + bytes > this.#bytesMax) return this.#refuse(socket);
    this.#waiting.set(socket, kept + bytes);
    this.#bytes += bytes;
    return true;
  }

  #wait(socket: Socket): boolean {
    if (socket.destroyed) return false;
    // Only where the parser could not be stopped. Clients have to expect it (RFC 9112, section 9.3.2).
    if (this.#waiting.has(socket)) return this.#refuse(socket);
    this.#waiting.set(socket, 0);
    stopReading(socket);
    return true;
  }

  #goOn(socket: Socket): void {
    const bytesKept = this.#waiting.get(socket) ?? 0;
    this.#forget(socket);
    resumeParser(socket, bytesKept);
    resumeReading(socket);
  }

  #forget(socket: Socket): void {
    this.#bytes -= this.#waiting.get(socket) ?? 0;
    this.#waiting.delete(socket);
  }

  #refuse(socket: Socket): false {
    this.#refused += 1;
    socket.destroy();
    return false;
  }
}

/** The connection is closed by Node; whoever waits for the request or the reply hears of it by `close`. */
function ignore(): void {}
