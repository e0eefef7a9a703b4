// Reads a request's body: content type, content encoding, and bounds on the bytes as sent and as decoded.
// Never keeps more than its bound in memory, nor more than there is room for.

import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createZstdDecompress } from "node:zlib";
import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { askForBody } from "./expectation.ts";
import type { BodyBudget, Reservation } from "../load/body-budget.ts";
import { freeMemory } from "../load/free-memory.ts";

/** From this size on the bulk thread reads a body, so that parsing it never blocks small requests. */
const largeBodyBytesMin = 16 * 1_024;
/** Of a body that carries no records. */
const smallBodyBytesMax = 256 * 1_024;
/** Received bytes from which the ratio of decoded bytes counts: a short beginning may compress well. */
const streamRatioBytesMin = 64 * 1_024;

export type MediaType = "json" | "ndjson";

// Without the option these two would leave out, in silence, what stands behind the end: on some versions of Node the
// second of two zstd frames. gzip reads on by itself, and refuses what is no further member.
const strictly = { rejectGarbageAfterEnd: true } as const;

const decoders = {
  gzip: () => createGunzip(),
  "x-gzip": () => createGunzip(),
  br: () => createBrotliDecompress(strictly),
  zstd: () => createZstdDecompress(strictly),
} as const;

/** Throws AppError content_type unless the body is said to be one of the kinds that the operation takes. */
export function mediaTypeOf(request: IncomingMessage, streams: boolean): MediaType {
  const sent = request.headers["content-type"] ?? "";
  // As nearly everybody sends it; nothing to take apart.
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

/**
 * A body that is known to be small, or that may be no larger: a few KiB are held without asking for room. Throws AppError
 * too_large, content_type, or malformed_json for a body that breaks off or is not in its encoding.
 */
export function readSmallBody(
  request: IncomingMessage,
  bytesMax: number = smallBodyBytesMax,
): Promise<Buffer> {
  if (Number(request.headers["content-length"]) > bytesMax) throw tooLarge(bytesMax);
  return collect(decodedBody(request), new SmallBody(bytesMax));
}

/** True for a body that is said to be small, and comes as it is. */
export function isSmall({ headers }: IncomingMessage): boolean {
  return (
    Number(headers["content-length"]) < largeBodyBytesMin &&
    headers["content-encoding"] === undefined
  );
}

/** Undefined for a body that does not tell its length, or has another one when decoded. */
export function declaredBytes({ headers }: IncomingMessage): number | undefined {
  const length = headers["content-length"];
  return length === undefined || headers["content-encoding"] !== undefined
    ? undefined
    : Number(length);
}

export interface LargeBodyOptions {
  readonly organizationId: string;
  readonly budget: BodyBudget;
  /** Tells that the client is gone. */
  readonly signal: AbortSignal;
}

/** The bytes, in memory of their own, and the room that they take. */
export interface LargeBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly reservation: Reservation;
}

/** Waits for room before anything is read. Throws as `readSmallBody` does, and AppError unavailable without room. */
export async function readLargeBody(
  request: IncomingMessage,
  { organizationId, budget, signal }: LargeBodyOptions,
): Promise<LargeBody> {
  const bytesMax = limits.bodyBytesMax;
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > bytesMax) throw tooLarge(bytesMax);
  const expected = request.headers["content-encoding"] === undefined ? declared : 0;
  const reserved = expected || unknownBytes;
  const reservation = await budget.reserve(organizationId, reserved, signal);
  const body = new LargeBodyBytes({ bytesMax, expected, reserved, reservation });
  try {
    return { bytes: await collect(decodedBody(request), body), reservation };
  } catch (error) {
    body.discard();
    reservation.release();
    throw error;
  }
}

/** What a body that does not tell its length begins with; as it grows, it asks for more. */
const unknownBytes = 256 * 1_024;

/** The body as a stream of decoded bytes. Throws AppError content_type for an encoding that is not known. */
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
  request.on("error", (error) => decoder.destroy(error));
  request.on("close", () => {
    if (!request.complete) decoder.destroy(new Error("the request broke off"));
  });
  return request.pipe(decoder);
}

/** Takes the chunks of a body, and gives the whole. `add` throws where the body is too large. */
interface Collector<Whole> {
  add(chunk: Buffer): void;
  whole(): Whole;
}

class SmallBody implements Collector<Buffer> {
  readonly #bytesMax: number;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#bytesMax) throw tooLarge(this.#bytesMax);
    this.#chunks.push(chunk);
  }

  whole(): Buffer {
    const [only] = this.#chunks;
    return this.#chunks.length === 1 && only !== undefined
      ? only
      : Buffer.concat(this.#chunks, this.#bytes);
  }
}

/** One piece of memory, so that it can be handed to another thread as it is. */
class LargeBodyBytes implements Collector<Uint8Array<ArrayBuffer>> {
  readonly #bytesMax: number;
  readonly #reservation: Reservation;
  #reserved: number;
  #memory: Uint8Array<ArrayBuffer>;
  #length = 0;

  constructor(options: {
    bytesMax: number;
    expected: number;
    reserved: number;
    reservation: Reservation;
  }) {
    this.#bytesMax = options.bytesMax;
    this.#reservation = options.reservation;
    this.#reserved = options.reserved;
    // The system gives pages to it only as they are written, so that a body that never comes takes none.
    this.#memory = newMemory(options.expected || firstBytes);
  }

  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.#bytesMax) throw tooLarge(this.#bytesMax);
    if (length > this.#reserved) this.#reserve(length);
    if (length > this.#memory.length) this.#grow(length);
    this.#memory.set(chunk, this.#length);
    this.#length = length;
  }

  whole(): Uint8Array<ArrayBuffer> {
    return this.#memory.subarray(0, this.#length);
  }

  /** What follows, if the source still has something, is not kept. */
  discard(): void {
    freeMemory(this.#memory);
    this.#length = 0;
  }

  #reserve(needed: number): void {
    const bytes = Math.min(this.#bytesMax, Math.max(needed, this.#reserved + unknownBytes));
    this.#reservation.extend(bytes - this.#reserved);
    this.#reserved = bytes;
  }

  /** In large steps: memory that is not written to costs nothing. */
  #grow(needed: number): void {
    const bytes = Math.min(this.#bytesMax, Math.max(needed, this.#memory.length * growth));
    const larger = newMemory(bytes);
    larger.set(this.whole());
    freeMemory(this.#memory);
    this.#memory = larger;
  }
}

const firstBytes = 64 * 1_024;
const growth = 16;

function newMemory(bytes: number): Uint8Array<ArrayBuffer> {
  const memory = Buffer.allocUnsafeSlow(bytes);
  return new Uint8Array(memory.buffer, memory.byteOffset, bytes);
}

function collect<Whole>(source: Readable, collector: Collector<Whole>): Promise<Whole> {
  return new Promise((resolve, reject) => {
    source.on("data", (chunk: Buffer) => {
      try {
        collector.add(chunk);
      } catch (error) {
        source.removeAllListeners("data");
        source.pause();
        reject(error);
      }
    });
    source.on("end", () => resolve(collector.whole()));
    source.on("error", (cause) => reject(brokenBody(cause)));
  });
}

/** Throws AppError too_large for a stream that decodes to much more than was sent: nobody means to send such. */
export function requireRatio(source: Readable, decodedBytes: number): void {
  if (!("bytesWritten" in source)) return;
  const received = Math.max(Number(source.bytesWritten), streamRatioBytesMin);
  if (decodedBytes <= received * limits.streamRatioMax) return;
  throw new AppError("too_large", {
    message: `A stream may decode to at most ${limits.streamRatioMax} times its size.`,
  });
}

/** The error for a body that could not be decoded or did not come whole. */
export function brokenBody(cause: unknown): AppError {
  return new AppError("malformed_json", {
    message: "The body broke off or is not valid in the Content-Encoding that the request names.",
    cause,
  });
}

function tooLarge(bytesMax: number): AppError {
  const advice = bytesMax === limits.bodyBytesMax ? "; send less, or a stream" : "";
  return new AppError("too_large", {
    message: `A body may have at most ${bytesMax} bytes here, also when decoded${advice}.`,
  });
}
