// From bytes to a JSON value, refusing what would be changed by reading it: bytes that are not UTF-8, and numbers with
// more digits than a double holds. Bounded in depth. Never repeats what was sent in an error.

import { isUtf8 } from "node:buffer";
import { AppError, type FieldError } from "../domain/error.ts";
import { limits } from "../domain/limits.ts";

/** What may be a number of more significant digits than every double keeps (15), or one beyond its exponents. */
const suspect = /\d[\d.]{15}|\d[eE][+-]?\d{3}/;

/** Throws AppError malformed_json, or validation_failed that names each number that would be rounded. */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw malformed("The body is empty; send JSON.");
  if (!isUtf8(bytes)) throw malformed("The body is not valid UTF-8.");
  const text = bytes.toString("utf8");
  const isSuspect = suspect.test(text);
  // Short bodies can't nest deep enough to cost anything before validation refuses them, but for the slow path, which
  // goes as deep as they do.
  if (isSuspect || bytes.length > limits.recordBytesMax) requireDepth(bytes);
  const value = parse(text);
  if (isSuspect) requireExactNumbers(text);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw malformed(`The body is not valid JSON${placeOf(error, text)}.`);
  }
}

/** Where the parser stopped, as line and column, when it says so. */
function placeOf(error: unknown, text: string): string {
  const position = /at position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
  if (position === undefined) return "; it ends too early or has something behind its end";
  const before = text.slice(0, Number(position)).split("\n");
  return `: look at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

function requireDepth(bytes: Buffer): void {
  let depth = 0;
  let inText = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === 0x22) inText = !inText;
    else if (inText) index += byte === 0x5c ? 1 : 0;
    else if (byte === 0x5b || byte === 0x7b) depth += 1;
    else if (byte === 0x5d || byte === 0x7d) depth -= 1;
    if (depth > limits.jsonDepthMax) {
      throw malformed(`The body is nested deeper than ${limits.jsonDepthMax} levels.`);
    }
  }
}

/** The slow path, only for texts with long runs of digits: looks at each number as it was written. */
function requireExactNumbers(text: string): void {
  const errors: FieldError[] = [];
  const marked = JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    if (typeof value !== "number" || source === undefined || isExact(source, value)) return value;
    return rounded;
  }) as unknown;
  collectRounded(marked, "", errors);
  if (errors.length > 0) throw new AppError("validation_failed", { errors });
}

/** Stands in the parsed value for a number that would be rounded. */
const rounded = Symbol("rounded");

function collectRounded(value: unknown, path: string, into: FieldError[]): void {
  if (into.length >= limits.fieldErrorsMax) return;
  if (value === rounded) {
    const message = "has more digits than can be kept exactly; send at most 15 significant digits";
    into.push({ field: path, message });
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    const step = Array.isArray(value) ? `[${key}]` : path === "" ? key : `.${key}`;
    collectRounded(item, path + step, into);
  }
}

/** True if printing the double gives the same decimal number that was written. */
function isExact(source: string, value: number): boolean {
  return Number.isFinite(value) && decimalOf(source) === decimalOf(String(value));
}

/** Sign, digits without leading and trailing zeros, and the power of ten of the first one. */
function decimalOf(text: string): string {
  const part = /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (part === null) return text;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = part;
  const all = whole + fraction;
  const digits = all.replace(/^0+/, "");
  if (digits === "") return "0";
  const power = whole.length - (all.length - digits.length) + Number(exponent);
  return `${sign}${digits.replace(/0+$/, "")}e${power}`;
}

function malformed(message: string): AppError {
  return new AppError("malformed_json", { message });
}
