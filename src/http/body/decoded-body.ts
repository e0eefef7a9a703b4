// Decodes a body as its content encoding says, within bounds on the window of the decoder and on how much a stream may
// grow.

import type { IncomingMessage } from "node:http";
import { finished, type Readable } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createZstdDecompress } from "node:zlib";
import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { askForBody } from "./expectation.ts";
import { makeWindow, type Window } from "./window.ts";

/** Received bytes from which the ratio of decoded bytes counts: a short beginning may compress well. */
const streamRatioBytesMin = 64 * 1_024;

/** Buffers of this size are not part of a larger one that others use, so that they can be freed at once. */
const chunkSize = 64 * 1_024;

// If this option were not set, these two decoders would ignore bytes after the end, on some versions of Node even the
// second of two zstd frames. gzip reads further members by itself, and fails on anything else.
const strictly = { rejectGarbageAfterEnd: true, chunkSize } as const;

const zstdParams = { [constants.ZSTD_d_windowLogMax]: limits.zstdWindowLogMax };

const decoders = {
  gzip: () => createGunzip({ chunkSize }),
  "x-gzip": () => createGunzip({ chunkSize }),
  // It refuses windows beyond 16 MiB unless its own option is set.
  br: () => createBrotliDecompress(strictly),
  zstd: () => createZstdDecompress({ ...strictly, params: zstdParams }),
} as const;

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
  // The client may have disconnected before this, while its token was looked up; no event tells of that any more.
  finished(request, (error) => {
    if (error) decoder.destroy(error);
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
