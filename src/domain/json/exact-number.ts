// Reads JSON without rounding: a number that a double does not represent exactly as written becomes Infinity. JSON has
// no other text for Infinity, and every schema refuses it with an error at its path.

import type { FieldError } from "../error.ts";
import { limits } from "../limits.ts";
import { fieldPath, itemPath } from "../validation/path.ts";
import { withoutTrailing } from "../../basics/without-trailing.ts";

/** Every double represents up to this many significant digits exactly. */
const digitsMax = 15;
/** The shortest text of a number that may be inexact, such as `1e-324`. */
const inexactCharactersMin = 6;
/** It may be too small for a double; for one that is too large, JSON.parse returns Infinity itself. */
const longNegativeExponent = /[eE]-\d{3}/;
/** Matches everything that looks like a number, to its end, so that invalid JSON stays invalid. */
const numberLike = /[-+.\deE]+/g;
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const infinite = "1e999";

export const inexactMessage =
  "can't be stored exactly as written; send at most 15 significant digits, and no huge exponent";

/** Throws SyntaxError as JSON.parse does. `bytes` are the text in UTF-8, for callers that have them. */
export function parseExactJson(text: string, bytes: Uint8Array = Buffer.from(text)): unknown {
  return JSON.parse(mayBeInexact(text, bytes) ? markInexact(text) : text) as unknown;
}

/** True for the mark of a number that would have been rounded. */
export function isInexact(value: unknown): boolean {
  return typeof value === "number" && !Number.isFinite(value);
}

/** Cheap, and false for nearly all texts; if true, the text of every number must be read. */
function mayBeInexact(text: string, bytes: Uint8Array): boolean {
  return hasLongNumber(bytes) || longNegativeExponent.test(text);
}

/** Each run of more than `digitsMax` digits and dots covers a probed place, so most bytes are skipped. Linear. */
function hasLongNumber(bytes: Uint8Array): boolean {
  const { length } = bytes;
  for (let at = digitsMax; at < length; at += digitsMax + 1) {
    if (!isDigitOrDot(bytes[at])) continue;
    let first = at;
    while (first > 0 && isDigitOrDot(bytes[first - 1])) first -= 1;
    let last = at;
    while (last + 1 < length && isDigitOrDot(bytes[last + 1])) last += 1;
    if (last - first >= digitsMax) return true;
    at = last;
  }
  return false;
}

function isDigitOrDot(byte: number | undefined): boolean {
  return byte !== undefined && byte <= 0x39 && (byte >= 0x30 || byte === 0x2e);
}

/** Returns the text with `1e999` instead of each number that is not exact. Reads only what is between strings. */
function markInexact(text: string): string {
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length;) {
    const quote = text.indexOf('"', at);
    const end = quote === -1 ? text.length : quote;
    if (end - at >= inexactCharactersMin) {
      for (const { 0: number, index } of text.slice(at, end).matchAll(numberLike)) {
        if (number.length < inexactCharactersMin || !isInexactNumber(number)) continue;
        parts.push(text.slice(copied, at + index), infinite);
        copied = at + index + number.length;
      }
    }
    at = quote === -1 ? text.length : stringEnd(text, quote);
  }
  parts.push(text.slice(copied));
  return parts.join("");
}

function isInexactNumber(text: string): boolean {
  if (text.length > limits.numberCharactersMax) return true;
  return jsonNumber.test(text) && !isExactNumber(text, Number(text));
}

/**
 * Returns the position after the closing quote of the string that opens at `quote`; the end of the text if there is
 * none.
 */
function stringEnd(text: string, quote: number): number {
  for (let at = quote + 1; ; at += 1) {
    at = text.indexOf('"', at);
    if (at === -1) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
}

/** In a value without a schema, down to a bounded depth and up to the number of listed errors. */
export function findInexactNumbers(value: unknown): readonly FieldError[] {
  return [...inexactNumbers(value, "", limits.jsonDepthMax).take(limits.fieldErrorsMax)];
}

function* inexactNumbers(value: unknown, field: string, levels: number): Generator<FieldError> {
  if (isInexact(value)) yield { field, message: inexactMessage };
  if (typeof value !== "object" || value === null || levels === 0) return;
  for (const [key, item] of Object.entries(value)) {
    const inner = Array.isArray(value) ? itemPath(field, Number(key)) : fieldPath(field, key);
    yield* inexactNumbers(item, inner, levels - 1);
  }
}

/** A double holds any decimal number of up to 15 digits (DBL_DIG). */
const shortDecimal = /^-?[\d.]{1,15}$/;

/** True if the double prints as the same decimal number that was written, in text of bounded length. */
export function isExactNumber(source: string, value: number): boolean {
  if (shortDecimal.test(source)) return Number.isFinite(value);
  if (!Number.isFinite(value) || source.length > limits.numberCharactersMax) return false;
  return decimalOf(source) === decimalOf(String(value));
}

/** Sign, digits without leading and trailing zeros, and the power of ten of the first one. */
function decimalOf(text: string): string {
  const part = /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (part === null) return text;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = part;
  const digits = withoutTrailing(whole + fraction, "0");
  let first = 0;
  while (digits[first] === "0") first += 1;
  if (first === digits.length) return "0";
  return `${sign}${digits.slice(first)}e${whole.length - first + Number(exponent)}`;
}
