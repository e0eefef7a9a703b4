// From bytes to a JSON value, refusing what would be changed by reading it: bytes that are not UTF-8, and numbers with
// more digits than a double holds. Bounded in depth. Never repeats what was sent in an error.

import { isAscii, isUtf8 } from "node:buffer";
import { AppError } from "../domain/error.ts";
import { findRoundedNumbers, mayBeRounded } from "../domain/exact-number.ts";
import { limits } from "../domain/limits.ts";
import { findJsonFault } from "./json-fault.ts";

/** What the bytes are to whoever sent them: errors speak of that. */
export type JsonSource = "body" | "line";

/** Throws AppError malformed_json, or validation_failed that names each number that would be rounded. */
export function parseJson(bytes: Buffer, source: JsonSource = "body"): unknown {
  if (bytes.length === 0) throw malformed(`The ${source} is empty; send JSON.`);
  if (!isUtf8(bytes)) throw malformed(`The ${source} is not valid UTF-8.`);
  // The same for ASCII, and copied instead of decoded.
  const text = bytes.toString(isAscii(bytes) ? "latin1" : "utf8");
  const isSuspect = mayBeRounded(text, bytes);
  // Short bodies can't nest deep enough to cost anything before validation refuses them, but for the slow path, which
  // goes as deep as they do.
  if (isSuspect || bytes.length > limits.recordBytesMax) requireDepth(bytes, source);
  const value = parse(text, source);
  if (!isSuspect) return value;
  const errors = findRoundedNumbers(text);
  if (errors.length > 0) throw new AppError("validation_failed", { errors });
  return value;
}

function parse(text: string, source: JsonSource): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw malformed(explain(text, source));
  }
}

function explain(text: string, source: JsonSource): string {
  if (text.startsWith("\ufeff")) {
    return `The ${source} begins with a byte order mark; send it without one (RFC 8259, section 8.1).`;
  }
  const { at, isBehindEnd } = findJsonFault(text);
  const what = `The ${source} is not valid JSON:`;
  if (at === text.length) return `${what} it ends too early.`;
  const before = text.slice(0, at).split("\n");
  const column = `column ${(before.at(-1)?.length ?? 0) + 1}`;
  const place = source === "line" ? column : `line ${before.length}, ${column}`;
  return isBehindEnd
    ? `${what} something stands behind its end, at ${place}.`
    : `${what} look at ${place}.`;
}

function requireDepth(bytes: Buffer, source: JsonSource): void {
  let depth = 0;
  let inText = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === 0x22) inText = !inText;
    else if (inText) index += byte === 0x5c ? 1 : 0;
    else if (byte === 0x5b || byte === 0x7b) depth += 1;
    else if (byte === 0x5d || byte === 0x7d) depth -= 1;
    if (depth > limits.jsonDepthMax) {
      throw malformed(`The ${source} is nested deeper than ${limits.jsonDepthMax} levels.`);
    }
  }
}

function malformed(message: string): AppError {
  return new AppError("malformed_json", { message });
}
