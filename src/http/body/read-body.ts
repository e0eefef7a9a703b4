// Reads a request body: content type, content encoding, and bounds on the bytes as sent and as decoded. Never buffers
// more than its bound, nor more than its reservation of memory.

import { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createZstdDecompress } from "node:zlib";
import { freeBuffer } from "../../basics/own-memory.ts";
import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { askForBody } from "./expectation.ts";
import type { MemoryBudget, Reservation } from "../load/memory-budget.ts";
import { makeWindow, type Window } from "./window.ts";

/** The bulk thread reads bodies of this size and more, so that parsing them never blocks small requests. */
const largeBodyBytesMin = 16 * 1_024;
const smallBodyBytesMax = 256 * 1_024;
/** Received bytes from which the ratio of decoded bytes counts: a short beginning may compress well. */
const streamRatioBytesMin = 64 * 1_024;

export type MediaType = "json" | "ndjson";

// If this option were not set, these two decoders would ignore bytes after the end, on some versions of Node even the
// second of two zstd frames. gzip reads further members by itself, and fails on anything else.
const strictly = { rejectGarbageAfterEnd: true } as const;

const zstdParams = { [constants.ZSTD_d_windowLogMax]: limits.zstdWindowLogMax };

const decoders = {
  gzip: () => createGunzip(),
  "x-gzip": () => createGunzip(),
  // It refuses windows beyond 16 MiB unless its own option is set.
  br: () => createBrotliDecompress(strictly),
  zstd: () => createZstdDecompress({ ...strictly, params: zstdParams }),
} as const;

/** Throws AppError content_type unless the Content-Type is one that the operation accepts. */
export function mediaTypeOf(request: IncomingMessage, streams: boolean): MediaType {
  const sent = request.headers["content-type"] ?? "";
  if (sent === "application/json") return "json";
  const [essence = "", ...parameters] = sent.split(";");
  const type = essence.trim().toLowerCase();
  const charsets = parameters.filter((text) => /^\s*charset\s*=/i.test(text));
  if (charsets.every((charset) => /=\s*"?utf-?8"?\s*$/i.test(charset))) {
    if (type === "application/json") return "json";
    if (type === "application/x-ndjson" && streams) return "ndjson";
  }
  const expected = streams ? "application/json or application/x-ndjson" : "application/json";
  throw new AppError("content_type", {
    message: `Send the body as Content-Type: ${expected}, in UTF-8.`,
  });
}

/** Reads a body of a few KiB. Throws AppError too_large, content_type, or malformed_json if it is incomplete. */
export async function readSmallBody(
  request: IncomingMessage,
  bytesMax = smallBodyBytesMax,
): Promise<Buffer> {
  if (Number(request.headers["content-length"]) > bytesMax) throw tooLarge(bytesMax);
  let gathered: Buffer = nothing;
  let bytes = 0;
  await receive(decodedBody(request), (chunk) => {
    if (bytes + chunk.length > bytesMax) throw tooLarge(bytesMax);
    gathered = bytes === 0 ? chunk : append(gathered, bytes, chunk);
    bytes += chunk.length;
  });
  return gathered.length === bytes ? gathered : gathered.subarray(0, bytes);
}

const nothing = Buffer.alloc(0);

/** Copies the chunk behind `length` bytes: a small one that is stored takes a hundred times the memory of its bytes. */
function append(gathered: Buffer, length: number, chunk: Buffer): Buffer {
  const needed = length + chunk.length;
  const isRoomy = needed <= gathered.length;
  const whole = isRoomy ? gathered : Buffer.allocUnsafeSlow(Math.max(needed, gathered.length * 2));
  if (!isRoomy) gathered.copy(whole, 0, 0, length);
  chunk.copy(whole, length);
  return whole;
}

export function isSmall({ headers }: IncomingMessage): boolean {
  return (
    Number(headers["content-length"]) < largeBodyBytesMin &&
    headers["content-encoding"] === undefined
  );
}

/** Undefined for a body without a Content-Length, or whose length changes when decoded. */
export function declaredBytes({ headers }: IncomingMessage): number | undefined {
  const length = headers["content-length"];
  return length === undefined || headers["content-encoding"] !== undefined
    ? undefined
    : Number(length);
}

export interface LargeBodyOptions {
  readonly organizationId: string;
  readonly budget: Pick<MemoryBudget, "reserve">;
  readonly signal: AbortSignal;
  /** Gets the decoded bytes of a body that is refused while it is read: decoding them was work, too. */
  readonly onRefused: (bytes: number) => void;
}

/** Waits for a reservation first. Throws like `readSmallBody`, and AppError unavailable if there is no room. */
export async function readLargeBody(
  request: IncomingMessage,
  { organizationId, budget, signal, onRefused }: LargeBodyOptions,
) {
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > limits.bodyBytesMax) throw tooLarge(limits.bodyBytesMax);
  const expected = request.headers["content-encoding"] === undefined ? declared : 0;
  const reserved = expected || unknownBytes;
  const reservation = await budget.reserve(organizationId, reserved, signal);
  const body = new LargeBodyBytes({ expected, reserved, reservation });
  try {
    const source = decodedBody(request);
    await receive(source, (chunk) => body.add(chunk, windowBytesOf(source)));
    return { bytes: body.whole(), reservation };
  } catch (error) {
    onRefused(body.length);
    body.discard();
    reservation.release();
    throw error;
  }
}

const unknownBytes = 256 * 1_024;

/** Returns the body as a stream of decoded bytes. Throws AppError content_type for an unknown encoding. */
export function decodedBody(request: IncomingMessage): Readable {
  const encoding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (encoding === "identity" || encoding === "") {
    askForBody(request);
    return request;
  }
  const decoder = Object.hasOwn(decoders, encoding)
    ? decoders[encoding as keyof typeof decoders]()
    : undefined;
  if (decoder === undefined) {
    throw new AppError("content_type", {
      message: "The Content-Encoding must be one of gzip, br, zstd or identity.",
    });
  }
  askForBody(request);
  // Its reader may have stopped reading when it fails, and an error without a listener ends the process.
  decoder.on("error", () => undefined);
  request.on("error", (error) => decoder.destroy(error));
  request.on("close", () => {
    if (!request.complete) decoder.destroy(new Error("the request broke off"));
  });
  const window = makeWindow(encoding);
  windows.set(decoder, window);
  const push = (chunk: Buffer): void => {
    try {
      window.push(chunk);
    } catch (error) {
      decoder.destroy(error instanceof Error ? error : undefined);
    }
  };
  request.on("data", push);
  decoder.once("close", () => request.off("data", push));
  return request.pipe(decoder);
}

const windows = new WeakMap<Readable, Window>();

/** The memory that the decoder of a body keeps, besides what it has passed on; 0 without an encoding. */
export function windowBytesOf(source: Readable): number {
  return windows.get(source)?.bytes ?? 0;
}

class LargeBodyBytes {
  readonly #reservation: Reservation;
  #reserved: number;
  #memory: Uint8Array<ArrayBuffer>;
  #length = 0;

  constructor(options: { expected: number; reserved: number; reservation: Reservation }) {
    this.#reservation = options.reservation;
    this.#reserved = options.reserved;
    // The system allocates its pages only when they are written, so a body that never arrives takes none.
    this.#memory = newMemory(options.expected || firstBytes);
  }

  /** Throws AppError too_large. */
  add(chunk: Buffer, windowBytes: number): void {
    const length = this.#length + chunk.length;
    if (length > limits.bodyBytesMax) throw tooLarge(limits.bodyBytesMax);
    // A window takes memory only as far as it is decoded.
    const needed = length + Math.min(length, windowBytes);
    if (needed > this.#reserved) this.#reserve(needed);
    if (length > this.#memory.length) this.#grow(length);
    this.#memory.set(chunk, this.#length);
    this.#length = length;
  }

  get length(): number {
    return this.#length;
  }

  whole(): Uint8Array<ArrayBuffer> {
    return this.#memory.subarray(0, this.#length);
  }

  discard(): void {
    freeBuffer(this.#memory);
    this.#length = 0;
  }

  #reserve(needed: number): void {
    const bytes = Math.max(needed, Math.min(limits.bodyBytesMax, this.#reserved + unknownBytes));
    this.#reservation.extend(bytes - this.#reserved);
    this.#reserved = bytes;
  }

  /** Grows in large steps, because memory that is not written costs nothing. */
  #grow(needed: number): void {
    const bytes = Math.min(limits.bodyBytesMax, Math.max(needed, this.#memory.length * growth));
    const larger = newMemory(bytes);
    larger.set(this.whole());
    freeBuffer(this.#memory);
    this.#memory = larger;
  }
}

const firstBytes = 64 * 1_024;
const growth = 16;

function newMemory(bytes: number): Uint8Array<ArrayBuffer> {
  const memory = Buffer.allocUnsafeSlow(bytes);
  return new Uint8Array(memory.buffer, memory.byteOffset, bytes);
}

/** After an error of `add` the rest remains unread; a decoder is closed at once, which frees its memory. */
function receive(source: Readable, add: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    // A client that disconnected before this has left a stream that emits nothing any more.
    if (source.destroyed) return reject(brokenBody(new Error("the client has disconnected")));
    const take = (chunk: Buffer): void => {
      try {
        add(chunk);
      } catch (error) {
        source.off("data", take);
        if (source instanceof IncomingMessage) source.pause();
        else source.destroy();
        reject(error);
      }
    };
    source.on("data", take);
    source.on("end", resolve);
    source.on("error", (cause) => reject(brokenBody(cause)));
  });
}

/** Throws AppError too_large for a stream that decodes to a multiple of its size that no real data has. */
export function requireRatio(source: Readable, decodedBytes: number): void {
  if (!("bytesWritten" in source)) return;
  const received = Math.max(Number(source.bytesWritten), streamRatioBytesMin);
  if (decodedBytes <= received * limits.streamRatioMax) return;
  throw new AppError("too_large", {
    message: `A stream may decode to at most ${limits.streamRatioMax} times its size.`,
  });
}

export function brokenBody(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  if (cause instanceof Error && "code" in cause && cause.code === windowTooLarge) {
    const message = `The window of a zstd body may have at most ${2 ** limits.zstdWindowLogMax} bytes; compress it with a smaller one.`;
    return new AppError("too_large", { message, cause });
  }
  return new AppError("malformed_json", {
    message: "The body is incomplete, or not valid in the Content-Encoding of the request.",
    cause,
  });
}

const windowTooLarge = "ZSTD_error_frameParameter_windowTooLarge";

function tooLarge(bytesMax: number): AppError {
  const advice = bytesMax === limits.bodyBytesMax ? "; send less, or a stream" : "";
  return new AppError("too_large", {
    message: `A body may have at most ${bytesMax} bytes here, also when decoded${advice}.`,
  });
}
