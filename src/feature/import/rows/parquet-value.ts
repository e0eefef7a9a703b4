// Converts values of Parquet to JSON. Rounds nothing: what a double does not represent exactly becomes text.

import type { ParquetParsers } from "hyparquet";
import {
  findInexactNumbers,
  isExactNumber,
  parseExactJson,
} from "../../../domain/json/exact-number.ts";

/** The library's conversions of annotated values, which come before a reader. */
export const parsers: Partial<ParquetParsers> = {
  timestampFromMilliseconds: (since) => timeText(since, 3),
  timestampFromMicroseconds: (since) => timeText(since, 6),
  timestampFromNanoseconds: (since) => timeText(since, 9),
  dateFromDays: (days) => dateText(days),
  // Text that is not UTF-8 stays bytes, and JSON stays text, until its row is read.
  stringFromBytes: readUtf8OrBytes,
  jsonFromBytes: readUtf8OrBytes,
};

export function readDecimal(value: unknown, scale: number): unknown {
  return value === undefined || value === null ? undefined : decimal(unscaled(value), scale);
}

function unscaled(value: unknown): bigint {
  if (value instanceof Uint8Array) {
    const hex = Buffer.from(value).toString("hex");
    return hex === "" ? 0n : BigInt.asIntN(value.length * 8, BigInt(`0x${hex}`));
  }
  return BigInt(value as number | bigint);
}

function decimal(whole: bigint, scale: number): number | string {
  const digits = (whole < 0n ? -whole : whole).toString().padStart(scale + 1, "0");
  const fraction = scale === 0 ? "" : `.${digits.slice(-scale)}`;
  const text = `${whole < 0n ? "-" : ""}${digits.slice(0, digits.length - scale)}${fraction}`;
  return numberOr(text);
}

function numberOr(text: string): number | string {
  return isExactNumber(text, Number(text)) ? Number(text) : text;
}

/** Converts lists and objects too, at any depth; null means no value. */
export function readAny(value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "bigint") return numberOr(String(value));
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value instanceof Uint8Array) return readUtf8(value);
  if (Array.isArray(value)) return value.map((item) => readAny(item) ?? null);
  if (typeof value !== "object") return value;
  const entries = Object.entries(value).map(([name, part]) => [name, readAny(part)] as const);
  return Object.fromEntries(entries.filter(([, part]) => part !== undefined));
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function readUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

function readUtf8OrBytes(bytes: Uint8Array): string | Uint8Array {
  try {
    return readUtf8(bytes);
  } catch {
    return bytes;
  }
}

/** The text itself if it is not JSON, or if a number in it would be rounded. */
export function readJson(text: string): unknown {
  try {
    const value = parseExactJson(text);
    return findInexactNumbers(value).length > 0 ? text : value;
  } catch {
    return text;
  }
}

function timeText(since: bigint, digits: number): string {
  const perSecond = 10n ** BigInt(digits);
  const seconds = since / perSecond - (since % perSecond < 0n ? 1n : 0n);
  const fraction = String(since - seconds * perSecond).padStart(digits, "0");
  const date = new Date(Number(seconds) * 1_000);
  if (Number.isNaN(date.getTime())) return String(since);
  return `${date.toISOString().slice(0, -5)}.${fraction}Z`;
}

function dateText(days: number): string {
  const date = new Date(days * 86_400_000);
  return Number.isNaN(date.getTime()) ? String(days) : date.toISOString().slice(0, -14);
}

export function withoutZone(time: unknown): unknown {
  return typeof time === "string" ? time.replace(/Z$/, "") : time;
}
