// Reads a request's body: content type, content encoding, and bounds on the bytes as sent and as decoded.
// Never keeps more than the bound in memory.

import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createZstdDecompress } from "node:zlib";
import { AppError } from "../domain/error.ts";
import { limits } from "../domain/limits.ts";
import { askForBody } from "./expectation.ts";

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

/** The body's bytes after decoding. Throws AppError too_large, content_type, or malformed_json for bad encodings. */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers["content-length"]) > limits.bodyBytesMax) throw tooLarge();
  return collect(decodedBody(request));
}

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

function collect(source: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    source.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= limits.bodyBytesMax) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      source.removeAllListeners("data");
      source.pause();
      reject(tooLarge());
    });
    source.on("end", () => {
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, bytes));
    });
    source.on("error", (cause) => reject(brokenBody(cause)));
  });
}

/** The error for a body that could not be decoded or did not come whole. */
export function brokenBody(cause: unknown): AppError {
  return new AppError("malformed_json", {
    message: "The body broke off or is not valid in the Content-Encoding that the request names.",
    cause,
  });
}

function tooLarge(): AppError {
  return new AppError("too_large", {
    message: `A body may have at most ${limits.bodyBytesMax} bytes, also when decoded; send less, or a stream.`,
  });
}
