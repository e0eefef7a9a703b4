// Tells numbers that a double holds exactly as they were written from those that would be rounded. Reads JSON text, and
// never gives the rounded value away.

import type { FieldError } from "./error.ts";
import { limits } from "./limits.ts";

/** More significant digits than this are not kept by every double. */
const digitsMax = 15;
/** What may be the end of a number beyond a double's exponents; as a part of an id, more of the id follows. */
const longExponent = /[eE][+-]?\d{3,}(?:[\s,\]}]|$)/;

/**
 * False for most texts, and cheap; where it is true, findRoundedNumbers has to look. `bytes` are the text in UTF-8, for
 * whoever has them: bytes are looked at faster than characters.
 */
export function mayBeRounded(text: string, bytes: Uint8Array = Buffer.from(text)): boolean {
  return hasLongNumber(bytes) || longExponent.test(text);
}

/**
 * True if there is a run of more than `digitsMax` digits and dots. No such run fits between two places that are looked at,
 * so most of the text is passed over; a regular expression would look at every digit of every id.
 */
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

/** The slow path: looks at each number of a JSON text as it was written. Goes as deep as the text is nested. */
export function findRoundedNumbers(text: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const marked = JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    if (typeof value !== "number" || source === undefined || isExactNumber(source, value)) {
      return value;
    }
    return rounded;
  }) as unknown;
  collectRounded(marked, "", errors);
  return errors;
}

export const roundedMessage =
  "can't be kept exactly as it is written; send at most 15 significant digits, and no huge exponent";

/** Stands in the parsed value for a number that would be rounded. */
const rounded = Symbol("rounded");

function collectRounded(value: unknown, path: string, into: FieldError[]): void {
  if (into.length >= limits.fieldErrorsMax) return;
  if (value === rounded) {
    into.push({ field: path, message: roundedMessage });
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    const step = Array.isArray(value) ? `[${key}]` : path === "" ? key : `.${key}`;
    collectRounded(item, path + step, into);
  }
}

/** True if printing the double gives the same decimal number that was written. */
export function isExactNumber(source: string, value: number): boolean {
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
