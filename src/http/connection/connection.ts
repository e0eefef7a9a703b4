// A client's connection as Node's HTTP server sees it: a stream over the socket. Passes on no more than may be parsed:
// a request up to its end, and the next one when the previous reply was sent. So requests are executed one after
// another, and nothing after the last reply of a connection is parsed.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { freeMemory } from "../../basics/own-memory.ts";
import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { answerOnSocket, errorOf } from "./client-error.ts";
import { Exchange } from "./exchange.ts";
import { firstByteOf, lengthToEmptyLine, lastBytes } from "./message-end.ts";
import type { Noted, SharedTurns } from "./shared-turns.ts";

const nothing = Buffer.alloc(0);
/** Freeing the memory of a shorter packet costs more than it is worth. */
const freedBytesMin = 16 * 1_024;

type Done = (error?: Error | null) => void;

export class Connection extends Duplex {
  readonly #socket: Socket;
  readonly #shared: SharedTurns;
  readonly noted: Noted = { bytes: 0, place: undefined };
  /** The packet that was read last, and what of it was not passed on. */
  #packet: Buffer = nothing;
  #rest: Buffer = nothing;
  /** The end of what was passed on of a head or of a chunked body. */
  #before: Buffer = nothing;
  /** The first bytes of a head that is not complete. */
  #headStart = "";
  #exchange: Exchange | undefined;
  #isPassing = false;
  #isWaitingForTurn = false;
  #attach: ((connection: Connection) => void) | undefined;
  /** Whether its last reply is sent; whatever still arrives is discarded. */
  isClosing = false;
  /** Whether the client has closed its side. */
  hasEnded = false;
  #onSent: Done | undefined;

  constructor(socket: Socket, shared: SharedTurns) {
    super({ allowHalfOpen: true, decodeStrings: false });
    this.#socket = socket;
    this.#shared = shared;
    this.on("resume", () => this.#pass());
    socket.on("drain", () => this.#sent());
    socket.on("end", () => this.#end());
    socket.on("close", () => this.destroy());
    socket.on("timeout", () => this.#closeInTurn());
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  get reply(): ServerResponse | undefined {
    return this.#exchange?.isAnswered === false ? this.#exchange.response : undefined;
  }

  /** The request in progress may take any time. */
  allowLasting(): void {
    if (this.#exchange !== undefined) this.#exchange.beganAt = Infinity;
  }

  /**
   * Answers a request to which nothing was sent within this time, and closes the connection of one whose end has not
   * arrived within this time after its reply. A stream sends its head at once.
   */
  endOverdue(limitMs: number): void {
    const { beganAt = Infinity, request } = this.#exchange ?? {};
    if (performance.now() - beganAt < limitMs || this.reply?.headersSent === true) return;
    this.fail(new AppError(request?.complete === true ? "unavailable" : "request_timeout"));
  }

  /** Whether the client has sent more behind the request in progress. */
  get isBehind(): boolean {
    return this.#exchange?.request.complete === true && this.#unparsedBytes > 0;
  }

  get #unparsedBytes(): number {
    return this.#rest.length + this.#socket.readableLength;
  }

  /** Begins with the first packet. `attach` gives this stream to Node's server, in the turn of the first request. */
  start(first: Buffer, attach: (connection: Connection) => void): void {
    this.#attach = attach;
    this.#socket.on("data", (packet: Buffer) => this.#take(packet));
    this.#take(first);
  }

  /** Call with each request as soon as its head is parsed. Returns false if it must not be executed. */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.#exchange !== undefined || this.isClosing) {
      this.destroy();
      return false;
    }
    if (request.rawHeaders.length > 2 * limits.headersMax) {
      this.fail(new AppError("headers_too_large"));
      return false;
    }
    this.#headStart = "";
    this.#before = nothing;
    this.#exchange = new Exchange(request, response, () => process.nextTick(() => this.#pass()));
    response.once("finish", () => this.#answered());
    return true;
  }

  /** Closes so that the last reply arrives. Node calls it when that reply is written. */
  destroySoon(): void {
    if (this.isClosing || this.destroyed) return;
    this.isClosing = true;
    this.#rest = nothing;
    this.#packet = nothing;
    this.#shared.note(this, 0);
    this.end();
    this.#shared.lingering.close(this.#socket);
  }

  /** Answers what can't be parsed, and closes the connection. A reply that has begun is ended by the body's reader. */
  fail(error: AppError): void {
    if (this.isClosing) return;
    if (this.#exchange?.isAnswered === true) this.destroySoon();
    else if (this.reply?.headersSent === true) {
      if (this.#exchange?.fault(error) !== true) this.destroy();
    } else {
      const request = this.reply?.req;
      const isHead = (request?.method ?? this.#headStart.trimEnd()) === "HEAD";
      answerOnSocket(this, { error, request, isHead });
    }
  }

  /** Node's server is given what `#pass` emits: it flows, and this stream need not keep anything for it. */
  override _read(): void {}

  override _write(chunk: string | Buffer, encoding: BufferEncoding, done: Done): void {
    this.#socket.write(chunk, encoding);
    this.#send(done);
  }

  override _writev(
    chunks: readonly { chunk: string | Buffer; encoding: BufferEncoding }[],
    done: Done,
  ): void {
    this.#socket.cork();
    for (const { chunk, encoding } of chunks) this.#socket.write(chunk, encoding);
    this.#socket.uncork();
    this.#send(done);
  }

  override _final(done: Done): void {
    this.#socket.end(() => done());
  }

  override _destroy(_error: Error | null, done: Done): void {
    this.#shared.note(this, 0);
    this.#socket.destroy();
    done();
  }

  /** Usually the system accepts everything at once, and the socket is not waited for. */
  #send(done: Done): void {
    if (this.#socket.writableLength === 0) done();
    else this.#onSent = done;
  }

  #sent(): void {
    const done = this.#onSent;
    this.#onSent = undefined;
    done?.();
  }

  #take(packet: Buffer): void {
    this.#packet = packet;
    this.#rest = packet;
    if (this.#exchange === undefined && this.#headStart === "") this.#takeTurn();
    else this.#pass();
  }

  #pass(): void {
    // The parser can't be entered again before it returns.
    if (this.#isPassing) return;
    this.#isPassing = true;
    while (this.#rest.length > 0 && this.#mayPass()) this.#passPart();
    this.#isPassing = false;
    this.#afterPassing();
  }

  #mayPass(): boolean {
    if (this.isClosing || this.destroyed || this.isPaused()) return false;
    if (this.#isWaitingForTurn) return false;
    const exchange = this.#exchange;
    if (exchange === undefined) return true;
    if (exchange.request.complete || exchange.isBroken) return false;
    if (!exchange.isChunked) return true;
    if (exchange.isFlood) {
      this.fail(new AppError("malformed_http", { message: floodMessage }));
      return false;
    }
    return exchange.takeTurn((given) => {
      this.#shared.bodies.add(this.#socket, () => {
        given();
        this.#pass();
      });
    });
  }

  #passPart(): void {
    const exchange = this.#exchange;
    const rest = this.#rest;
    const length = exchange === undefined ? this.#headLength() : this.#bodyLength(exchange);
    // The parser and this stream don't agree about the end of the body.
    if (length === 0) return void this.destroy();
    const isAll = length === rest.length;
    this.#rest = isAll ? nothing : rest.subarray(length);
    this.emit("data", isAll ? rest : rest.subarray(0, length));
  }

  #headLength(): number {
    const rest = this.#rest;
    let from = 0;
    if (this.#headStart.length < "HEAD ".length) {
      // Empty lines before a request are ignored (RFC 9112, section 2.2).
      if (this.#headStart === "") from = firstByteOf(rest);
      const more = "HEAD ".length - this.#headStart.length;
      this.#headStart += rest.toString("latin1", from, from + more);
    }
    return this.#lengthToEmptyLine(rest, from);
  }

  #bodyLength(exchange: Exchange): number {
    if (!exchange.isChunked) return exchange.takeBytes(this.#rest.length);
    // A chunked body ends with an empty line, too.
    return exchange.takeChunks(this.#rest.length, (most) =>
      this.#lengthToEmptyLine(this.#rest.subarray(0, most), 0),
    );
  }

  #lengthToEmptyLine(bytes: Buffer, from: number): number {
    const length = lengthToEmptyLine(this.#before, bytes, from);
    this.#before = lastBytes(this.#before, bytes.subarray(0, length));
    return length;
  }

  #afterPassing(): void {
    // What still waits is noted no more: nothing would ever note its end.
    if (this.isClosing || this.destroyed) return;
    const exchange = this.#exchange;
    if (exchange?.isAnswered === true && exchange.request.complete) this.#next();
    const waits =
      this.#isWaitingForTurn || exchange?.isChunked === true || exchange?.request.complete === true;
    // A small rest must not retain its packet.
    if (waits && this.#rest.length > 0 && this.#rest.length * 2 < this.#packet.length) {
      this.#rest = Buffer.from(this.#rest);
      this.#packet = nothing;
    }
    this.#readOn();
    this.#shared.note(this, waits ? this.#unparsedBytes : 0);
    if (this.isBehind) this.emit("behind");
    if (this.hasEnded) this.#passEnd();
  }

  /** The socket reads one more packet while a part of this one waits. */
  #readOn(): void {
    if (this.#rest.length > 0) {
      this.#socket.pause();
      return;
    }
    // The parser has copied what it keeps.
    if (this.#packet.length >= freedBytesMin) freeMemory(this.#packet);
    this.#packet = nothing;
    if (this.#socket.isPaused()) this.#socket.resume();
  }

  #answered(): void {
    const exchange = this.#exchange;
    if (exchange === undefined || this.isClosing) return;
    exchange.isAnswered = true;
    if (exchange.request.complete) this.#next();
    else if (exchange.isWorthReading) {
      exchange.beganAt = performance.now();
      exchange.request.resume();
    } else this.destroySoon();
  }

  #next(): void {
    this.#exchange = undefined;
    if (this.#unparsedBytes === 0) {
      if (this.hasEnded) this.#passEnd();
      return;
    }
    this.#isWaitingForTurn = true;
    setImmediate(() => this.#takeTurn());
  }

  #takeTurn(): void {
    this.#isWaitingForTurn = true;
    this.#shared.requests.add(this.#socket, () => {
      this.#isWaitingForTurn = false;
      const attach = this.#attach;
      if (attach === undefined) return this.#pass();
      // Closed for the bytes that wait, which its socket does not know yet: Node would keep the parser for ever.
      if (this.destroyed) return;
      this.#attach = undefined;
      // Now this stream flows, and then passes on what has arrived.
      attach(this);
    });
    // The socket must not read on meanwhile.
    if (this.#isWaitingForTurn) this.#afterPassing();
  }

  #end(): void {
    this.hasEnded = true;
    this.emit("halfClose");
    this.#passEnd();
  }

  /** Within a request Node's parser does not always tell of an end, and it must not hear of one before a reply. */
  #passEnd(): void {
    if (this.#rest.length > 0 || this.isClosing || this.destroyed) return;
    if (this.#exchange === undefined) {
      // The parser refuses a head that is cut off, and answers it.
      if (this.#headStart !== "") this.push(null);
      else this.#closeInTurn();
    } else if (!this.#exchange.request.complete) {
      this.fail(errorOf("HPE_INVALID_EOF_STATE"));
    }
  }

  /** Thousands can end or be silent for too long at the same moment. One that sends meanwhile is silent no more. */
  #closeInTurn(): void {
    const { bytesRead } = this.#socket;
    this.#shared.closings.add(this.#socket, () => {
      if (this.#socket.bytesRead === bytesRead) this.destroy();
    });
  }
}

const floodMessage =
  "The body has too many small chunks or empty lines; send larger chunks, or the body with a Content-Length.";

/** The connection of a request or of its reply; undefined once the reply is sent, and for a request without one. */
export function connectionOf({ socket }: { readonly socket: unknown }): Connection | undefined {
  return socket instanceof Connection ? socket : undefined;
}
