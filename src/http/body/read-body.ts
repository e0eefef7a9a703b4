// Reads a request body: content type, content encoding, and bounds on the bytes as sent and as decoded. Never buffers
// more than its bound, nor more than its reservation of memory.

import type { IncomingMessage } from "node:http";
import { http } from "../../basics/node-http.ts";
import type { Readable } from "node:stream";
import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { decodedBody, brokenBody } from "./decoded-body.ts";

/** The bulk thread reads bodies of this size and more, so that parsing them never blocks small requests. */
const largeBodyBytesMin = 16 * 1_024;
const smallBodyBytesMax = 256 * 1_024;

export type MediaType = "json" | "ndjson";

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

/** After an error of `add` the rest remains unread; a decoder is closed at once, which frees its memory. */
export function receive(source: Readable, add: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    // A client that disconnected before this has left a stream that emits nothing any more.
    if (source.destroyed) return reject(brokenBody(new Error("the client has disconnected")));
    const take = (chunk: Buffer): void => {
      try {
        add(chunk);
      } catch (error) {
        source.off("data", take);
        if (source instanceof http.IncomingMessage) source.pause();
        else source.destroy();
        reject(error);
      }
    };
    source.on("data", take);
    source.on("end", resolve);
    source.on("error", (cause) => reject(brokenBody(cause)));
  });
}

export function tooLarge(bytesMax: number): AppError {
  const advice = bytesMax === limits.bodyBytesMax ? "; send less, or a stream" : "";
  return new AppError("too_large", {
    message: `A body may have at most ${bytesMax} bytes here, also when decoded${advice}.`,
  });
}
