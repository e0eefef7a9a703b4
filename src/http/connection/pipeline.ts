// Executes the requests of a connection one after another, in order (RFC 9112, section 9.3.2): the next one starts when
// the operating system has accepted the previous reply. Until then it waits, and nothing after it is read or parsed. So
// no request after the last reply of a connection is ever executed, whatever the reason for closing it.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { BodyTurns } from "./body-turns.ts";
import { answerClientError, answerUpgrade, noteOpenHead } from "./client-error.ts";
import { ConnectionTurns } from "./connection-turns.ts";
import { resumeParser, stopParserIf, watchPackets } from "./parser.ts";
import { resumeReading, stopReading } from "./pause-reading.ts";

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export class Pipelines {
  /** Connections with a waiting request, and the number of bytes stored after it. */
  readonly #waiting = new Map<Socket, number>();
  readonly #bytesMax: number;
  readonly #bodies: BodyTurns;
  /**
   * libuv accepts one connection in each event-loop tick, so new connections would wait for as many ticks as there are
   * connections before them.
   */
  readonly #turns = new ConnectionTurns();
  #bytes = 0;
  #refused = 0;

  constructor(bytesMax: number, bodies: BodyTurns) {
    this.#bytesMax = bytesMax;
    this.#bodies = bodies;
  }

  /** Requests that wait for the previous reply: at most one per connection. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Bytes after them that were received and are not parsed yet. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Connections that were closed because the bytes they had sent exceeded the bound. */
  get refused(): number {
    return this.#refused;
  }

  /** Call once for each connection. */
  watch(socket: Socket): void {
    stopParserIf(socket, {
      hasToStop: () => this.#waiting.has(socket) || this.#bodies.holds(socket),
      onRunsOn: () => this.#bodies.runsOn(socket),
    });
    watchPackets(socket, {
      onRest: (bytes) => {
        if (this.#waiting.has(socket)) this.deferUnparsed(socket, bytes);
        else socket.unshift(bytes);
      },
      onOpenHead: (packet) => noteOpenHead(socket, packet),
    });
    socket.once("close", () => this.#forget(socket));
  }

  /** The request handler for Node. It calls `handle` for each request in order, if its reply can still be sent. */
  inOrder(handle: RequestHandler): RequestHandler {
    const start: RequestHandler = (request, response) => {
      if (!request.socket.writable) return;
      if (request.headers.upgrade !== undefined) answerUpgrade(request, response);
      this.#bodies.offer(request, response);
      handle(request, response);
    };
    return (request, response) => {
      // Attached before anything is written: without a listener an error would end the process. A request needs none,
      // and without one it is much cheaper: Node reports its errors only to listeners.
      response.on("error", ignore);
      const { socket } = request;
      this.#bodies.hold(request);
      // Node assigns the socket to a reply when the previous one is finished, and never if that was the last.
      if (response.socket !== null) start(request, response);
      else if (this.#wait(socket)) {
        // If the parser continues to the end of its packet, the request contains the bytes that the parser has read.
        process.nextTick(() => this.#count(socket, request.readableLength));
        response.once("socket", () => {
          // Node is about to write the buffered part of the reply. Other connections are served in between.
          setImmediate(() => {
            this.#turns.add(socket, () => {
              this.#resume(socket);
              start(request, response);
            });
          });
        });
      }
    };
  }

  /** Returns the bytes after a waiting request to the socket, to be read again when the request has started. */
  deferUnparsed(socket: Socket, bytes: Buffer): void {
    if (!this.#count(socket, bytes.length)) return;
    // A small remainder must not retain the whole packet in memory.
    const isSmall = bytes.length * 2 < bytes.buffer.byteLength;
    socket.unshift(isSmall ? Buffer.from(bytes) : bytes);
  }

  /** Returns false if nothing is to be stored. */
  #count(socket: Socket, bytes: number): boolean {
    const stored = this.#waiting.get(socket);
    if (stored === undefined || bytes === 0) return false;
    if (this.#bytes + bytes > this.#bytesMax) return this.#refuse(socket);
    this.#waiting.set(socket, stored + bytes);
    this.#bytes += bytes;
    return true;
  }

  #wait(socket: Socket): boolean {
    if (socket.destroyed) return false;
    // This happens only where the parser could not be stopped. Clients must expect it (RFC 9112, section 9.3.2).
    if (this.#waiting.has(socket)) return this.#refuse(socket);
    this.#waiting.set(socket, 0);
    stopReading(socket, "reply");
    return true;
  }

  #resume(socket: Socket): void {
    const deferredBytes = this.#waiting.get(socket) ?? 0;
    this.#forget(socket);
    const isHeld = this.#bodies.holds(socket);
    const failure = isHeld ? undefined : resumeParser(socket, deferredBytes);
    if (failure !== undefined) answerClientError(failure, socket);
    resumeReading(socket, "reply");
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

/** Node closes the connection, and emits `close` on the request and the reply. */
function ignore(): void {}
