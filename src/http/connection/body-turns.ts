// Parses chunked bodies in turns. Each chunk, however small, costs a call of the parser, so the rate of chunks is
// bounded for all bodies together, and network addresses take turns. A body is parsed only when its reader asks for it;
// otherwise it is discarded without being parsed, and the connection ends with the reply.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { FairQueue, type Place } from "../../basics/fair-queue.ts";
import { freeMemory } from "../../basics/own-memory.ts";
import { limits } from "../../domain/limits.ts";
import { endUnlessAsked } from "../body/expectation.ts";
import { addressOwner } from "../rate-limit/address-owner.ts";
import { ChunkedBody } from "./chunked-body.ts";
import { answerClientError } from "./client-error.ts";
import { ignoreBody, resumeParser } from "./parser.ts";
import { resumeReading, stopReading } from "./pause-reading.ts";

const intervalMs = 10;
/** The chunks of one interval, which take about a tenth of the time of the event loop. */
export const chunksPerIntervalMax = (limits.chunksPerSecondMax * intervalMs) / 1_000;
/** Giving bytes to the parser costs as much as this many chunks, even if they contain none. */
const chunksPerFeed = 16;
/**
 * A packet is parsed in parts of this size, and chunks are counted after each; a part contains at most 1,365 chunks.
 */
export const sliceBytes = 8 * 1_024;
/** Bound for the packet of an upgrade request, where the parser can't be stopped. */
export const unstoppableChunksMax = 256;
/** A longer body that no handler reads ends its connection; a shorter one is read, and the connection stays open. */
export const unaskedBytesMax = 64 * 1_024;

type Listener = (packet: Buffer) => void;

/** A connection with a chunked body that has not arrived completely. */
interface Connection {
  readonly owner: string;
  readonly body: ChunkedBody;
  response: ServerResponse | undefined;
  isAsked: boolean;
  /** True while its reader has enough. */
  isFull: boolean;
  /** True while the parser is stopped, after the head. */
  isStopped: boolean;
  /** Chunks that were parsed in a packet without a stop; undefined once packets are divided. */
  unstoppable: number | undefined;
  /** Bytes that were returned to the socket, to be parsed in its turn. */
  waitingBytes: number;
  /** While it waits for its turn. */
  place: Place<Socket> | undefined;
}

export class BodyTurns {
  readonly #connections = new Map<Socket, Connection>();
  /** Node's own listeners of connections whose packets are divided here. */
  readonly #listeners = new WeakMap<Socket, Listener>();
  /** The sockets that wait for their turn, by network address. */
  readonly #waiting = new FairQueue<Socket>();
  readonly #waitingBytes = new Map<string, number>();
  #bytes = 0;
  #refused = 0;
  /** Chunks that count against the current interval; may exceed those of one interval. */
  #chunks = 0;
  #parsed = 0;
  #timer: NodeJS.Timeout | undefined;
  #isScheduled = false;
  /** The packet that is being parsed; undefined once the parser has stopped or failed in it. */
  #packet: Buffer | undefined;

  /** Bytes that were received and wait for their turn. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Connections that were closed because too many bytes waited, or for too many chunks with an upgrade request. */
  get refused(): number {
    return this.#refused;
  }

  /** Chunks that were parsed, of all connections since the start. */
  get parsed(): number {
    return this.#parsed;
  }

  /** Call once for each connection. */
  watch(socket: Socket): void {
    socket.once("close", () => this.#forget(socket));
  }

  /** Call with each request as soon as its head is parsed. */
  hold(request: IncomingMessage): void {
    if (request.headers["transfer-encoding"] === undefined) return;
    const { socket } = request;
    const body = new ChunkedBody(request, {
      onChunk: () => this.#count(socket, connection),
      onEnd: () => this.#forget(socket),
      onWanted: () => {
        if (!connection.isFull) return;
        connection.isFull = false;
        this.#proceed(socket, connection);
      },
    });
    const connection: Connection = {
      owner: addressOwner(socket.remoteAddress ?? ""),
      body,
      response: undefined,
      isAsked: false,
      isFull: false,
      isStopped: false,
      unstoppable: undefined,
      waitingBytes: 0,
      place: undefined,
    };
    this.#connections.set(socket, connection);
    stopReading(socket, "body");
  }

  /** Call with each request when it is its turn to be executed. */
  offer(request: IncomingMessage, response: ServerResponse): void {
    const { socket, headers } = request;
    const connection = this.#connections.get(socket);
    if (connection !== undefined && headers["transfer-encoding"] !== undefined) {
      connection.response = response;
      endUnlessAsked(request, response, () => {
        connection.isAsked = true;
        this.#proceed(socket, connection);
      });
    } else if (Number(headers["content-length"]) > unaskedBytesMax) {
      endUnlessAsked(request, response);
    }
  }

  /** Whether the parser has to stop after the head that it has just parsed. */
  holds(socket: Socket): boolean {
    return this.#connections.has(socket);
  }

  /** The parser could not be stopped after the head. */
  runsOn(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    connection.unstoppable = 0;
    setImmediate(() => {
      connection.unstoppable = undefined;
      if (this.#connections.has(socket)) this.#proceed(socket, connection);
      else if (!socket.destroyed) resumeReading(socket, "body");
    });
  }

  /** The parser has stopped or failed: the unparsed bytes to the end of the packet, of which it got a part. */
  unfed(bytes: Buffer): Buffer {
    const packet = this.#packet;
    this.#packet = undefined;
    const isPart = packet !== undefined && packet.buffer === bytes.buffer;
    return isPart ? packet.subarray(bytes.byteOffset - packet.byteOffset) : bytes;
  }

  /** Returns what follows the head of a chunked body to the socket. Returns false for any other request. */
  defer(socket: Socket, bytes: Buffer): boolean {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return false;
    connection.isStopped = true;
    if (this.#return(socket, connection, bytes)) this.#proceed(socket, connection);
    return true;
  }

  #count(socket: Socket, connection: Connection): void {
    this.#chunks += 1;
    this.#parsed += 1;
    if (connection.unstoppable === undefined) return;
    connection.unstoppable += 1;
    if (connection.unstoppable <= unstoppableChunksMax) return;
    ignoreBody(socket);
    this.#refuse(socket);
  }

  #return(socket: Socket, connection: Connection, bytes: Buffer): boolean {
    const { owner } = connection;
    const own = this.#waitingBytes.get(owner) ?? 0;
    if (
      own + bytes.length > limits.waitingChunkBytesPerAddressMax ||
      this.#bytes + bytes.length > limits.waitingChunkBytesMax
    ) {
      return this.#refuse(socket);
    }
    // A reader may have resumed the socket since; a flowing socket would emit the bytes at once.
    stopReading(socket, "body");
    if (bytes.length === 0) return true;
    connection.waitingBytes = bytes.length;
    this.#waitingBytes.set(owner, own + bytes.length);
    this.#bytes += bytes.length;
    // A small remainder must not retain the whole packet in memory.
    const isSmall = bytes.length * 2 < bytes.buffer.byteLength;
    socket.unshift(isSmall ? Buffer.from(bytes) : bytes);
    return true;
  }

  #release(connection: Connection): void {
    const { owner, waitingBytes } = connection;
    if (waitingBytes === 0) return;
    connection.waitingBytes = 0;
    this.#bytes -= waitingBytes;
    const own = (this.#waitingBytes.get(owner) ?? 0) - waitingBytes;
    if (own === 0) this.#waitingBytes.delete(owner);
    else this.#waitingBytes.set(owner, own);
  }

  #refuse(socket: Socket): false {
    this.#refused += 1;
    socket.destroy();
    return false;
  }

  /** Gives the connection a turn as soon as its body has a reader with room. */
  #proceed(socket: Socket, connection: Connection): void {
    const { owner, isAsked, isFull, unstoppable } = connection;
    if (!isAsked || isFull || unstoppable !== undefined || socket.destroyed) return;
    connection.place ??= this.#waiting.push(owner, socket);
    this.#schedule();
  }

  #schedule(): void {
    this.#awaitInterval();
    if (this.#isScheduled || this.#chunks >= chunksPerIntervalMax) return;
    this.#isScheduled = true;
    setImmediate(() => this.#giveTurns());
  }

  #awaitInterval(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#nextInterval(), intervalMs).unref();
  }

  #nextInterval(): void {
    this.#timer = undefined;
    this.#chunks = Math.max(0, this.#chunks - chunksPerIntervalMax);
    if (this.#waiting.size > 0) this.#schedule();
    else if (this.#chunks > 0) this.#awaitInterval();
  }

  #giveTurns(): void {
    this.#isScheduled = false;
    for (const place of this.#waiting.inTurn()) {
      if (this.#chunks >= chunksPerIntervalMax) return;
      this.#turn(this.#waiting.take(place));
    }
  }

  #turn(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    connection.place = undefined;
    // The last reply of a connection ends its writing side, and nothing more of it is parsed.
    if (socket.destroyed || socket.writableEnded) return;
    this.#listen(socket);
    if (connection.isStopped) {
      connection.isStopped = false;
      const failure = resumeParser(socket, socket.readableLength);
      if (failure !== undefined) return answerClientError(failure, socket);
    }
    this.#release(connection);
    // Emits `data` at once, even if reading is stopped.
    if (socket.readableLength > 0) socket.read();
    else this.#pass(socket);
  }

  /** Has Node read packets into buffers from now on; they are divided here before the parser gets them. */
  #listen(socket: Socket): void {
    if (this.#listeners.has(socket)) return;
    const [listener] = socket.listeners("data") as Listener[];
    if (listener === undefined) return;
    this.#listeners.set(socket, listener);
    socket.removeListener("data", listener);
    socket.on("data", (packet: Buffer) => this.#feed(socket, packet));
  }

  #feed(socket: Socket, packet: Buffer): void {
    this.#connections.get(socket)?.body.expect(packet.length);
    for (let at = 0; at < packet.length; at += sliceBytes) {
      const connection = this.#connections.get(socket);
      if (connection !== undefined && this.#chunks >= chunksPerIntervalMax) {
        this.#wait(socket, connection, packet.subarray(at));
        return;
      }
      if (!this.#parse(socket, packet, at)) {
        const next = this.#connections.get(socket);
        if (next === undefined) resumeReading(socket, "body");
        else next.body.flush();
        return;
      }
    }
    this.#pass(socket);
    // All of the packet was a part of the body, of which the parser has made copies.
    if (this.#connections.has(socket)) freeMemory(packet);
  }

  /** Returns false if the parser has stopped or failed, or the connection was closed. */
  #parse(socket: Socket, packet: Buffer, at: number): boolean {
    this.#chunks += chunksPerFeed;
    this.#packet = packet;
    this.#listeners.get(socket)?.(packet.subarray(at, at + sliceBytes));
    const isWhole = this.#packet === packet && !socket.destroyed;
    this.#packet = undefined;
    return isWhole;
  }

  #wait(socket: Socket, connection: Connection, rest: Buffer): void {
    if (!this.#return(socket, connection, rest)) return;
    connection.isFull = !connection.body.flush();
    this.#proceed(socket, connection);
  }

  /** The packet is parsed. */
  #pass(socket: Socket): void {
    const connection = this.#connections.get(socket);
    // Node drops the rest of a body whose reply is sent, chunk by chunk.
    if (connection?.response?.writableFinished === true) socket.destroySoon();
    else if (connection === undefined || connection.body.flush()) resumeReading(socket, "body");
    else {
      connection.isFull = true;
      stopReading(socket, "body");
    }
  }

  #forget(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    this.#release(connection);
    this.#connections.delete(socket);
    if (connection.place !== undefined) this.#waiting.remove(connection.place);
  }
}
