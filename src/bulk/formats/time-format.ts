// Converts times in the formats of files to RFC 3339. Never guesses: text that does not match its format, a day that is
// not in the calendar, and a local time that does not exist are errors.

import { isFullDate, normaliseTimestamp } from "../../domain/timestamp.ts";
import { withoutTrailing } from "../../basics/without-trailing.ts";
import { CellError } from "./csv-cell.ts";
import { UsageError } from "../../actions/operator/operator-error.ts";
import { compilePattern, type PatternParts } from "./time-pattern.ts";
import { offsetMinutesIn, requireZone } from "./time-zone.ts";

export type ReadTime = (text: string) => string | CellError;

/** Decimal digits of a second in the unit. */
const unixUnits: Readonly<Record<string, number>> = { unix: 0, unix_ms: 3, unix_us: 6, unix_ns: 9 };

const formatCharactersMax = 200;

/**
 * `rfc3339`, `unix`, `unix_ms`, `unix_us`, `unix_ns`, `days:2025-01-01` (days since then), or a pattern such as
 * `dd.MM.yyyy HH:mm:ss Europe/Berlin`. For a field that is a date the pattern has no zone. Throws UsageError.
 */
export function compileTimeFormat(format: string, wanted: "date-time" | "date"): ReadTime {
  if (format === "rfc3339") return readRfc3339;
  if (format.length > formatCharactersMax) {
    throw new UsageError(`The time format is longer than ${formatCharactersMax} characters.`);
  }
  const digits = Object.hasOwn(unixUnits, format) ? unixUnits[format] : undefined;
  if (digits !== undefined) return (text) => readUnix(text, { digits, wanted });
  const epoch = /^days:(.*)$/.exec(format)?.[1];
  if (epoch !== undefined) return daysSince(epoch, wanted);
  return readerOfPattern(format, wanted);
}

function readRfc3339(text: string): string | CellError {
  return normaliseTimestamp(text) === undefined
    ? new CellError("must be an RFC 3339 time with offset, such as 2026-01-31T09:30:00Z")
    : text;
}

/** Keeps every digit of the fraction. */
function readUnix(
  text: string,
  { digits, wanted }: { digits: number; wanted: "date-time" | "date" },
): string | CellError {
  const [, whole = "", more = ""] = /^(-?\d{1,24})(?:\.(\d+))?$/.exec(text) ?? [];
  const padded = whole.padStart(digits + 1, "0");
  const seconds = Number(padded.slice(0, padded.length - digits));
  const fraction = withoutTrailing(padded.slice(padded.length - digits) + more, "0");
  // Before 1970, a fraction would count backwards.
  if (whole === "" || (whole.startsWith("-") && fraction !== "")) {
    return new CellError("must be a Unix time, such as 1769851800");
  }
  return inRange(seconds, { fraction, wanted });
}

function daysSince(epoch: string, wanted: "date-time" | "date"): ReadTime {
  if (!isFullDate(epoch)) {
    throw new UsageError(`The time format days:${epoch} must name a day, as in days:2025-01-01.`);
  }
  const startMs = Date.parse(`${epoch}T00:00:00Z`);
  return (text) => {
    if (!/^-?\d{1,7}(?:\.\d+)?$/.test(text)) return new CellError(`must be days since ${epoch}`);
    const unixMs = startMs + Math.round(Number(text) * 86_400_000);
    const seconds = Math.floor(unixMs / 1_000);
    const digits = String(unixMs - seconds * 1_000).padStart(3, "0");
    return inRange(seconds, { fraction: withoutTrailing(digits, "0"), wanted });
  };
}

const daySeconds = 86_400;
const [firstSecond, lastSecond] = ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"].map(
  (text) => Date.parse(text) / 1_000,
) as [number, number];

/** `fraction`: digits of the second, without zeros at their end. */
function inRange(
  unixSeconds: number,
  { fraction, wanted }: { fraction: string; wanted: "date-time" | "date" },
): string | CellError {
  if (!(unixSeconds >= firstSecond && unixSeconds <= lastSecond)) {
    return new CellError("must be a time in the years 0000 to 9999");
  }
  const day = Math.floor(unixSeconds / daySeconds);
  const date = dateOfDay(day);
  if (wanted === "date") return date;
  const second = unixSeconds - day * daySeconds;
  const minute = Math.floor(second / 60);
  const time = `${twoDigits(Math.floor(minute / 60))}:${twoDigits(minute % 60)}:${twoDigits(second % 60)}`;
  return `${date}T${time}${fraction === "" ? "" : `.${fraction}`}Z`;
}

/** Most files are of few days, and making the text of a date for each row takes a tenth of an import. */
const knownDates = new Map<number, string>();
const knownDatesMax = 1_000;

function dateOfDay(day: number): string {
  let date = knownDates.get(day);
  if (date === undefined) {
    date = new Date(day * daySeconds * 1_000).toISOString().slice(0, "0000-00-00".length);
    if (knownDates.size >= knownDatesMax) knownDates.clear();
    knownDates.set(day, date);
  }
  return date;
}

/** A zone follows the pattern: a name such as Europe/Berlin, UTC, or an offset such as +01:00. */
function readerOfPattern(format: string, wanted: "date-time" | "date"): ReadTime {
  const [, before, named] =
    /^(.*\S)\s+(UTC|[+-]\d\d:\d\d|[A-Z][A-Za-z_]+\/[\w/+-]+)$/.exec(format) ?? [];
  const zone = before === undefined ? undefined : named;
  const pattern = compilePattern(before ?? format);
  if (wanted === "date") return (text) => dateOf(pattern.read(text), format);
  if (zone !== undefined) requireZone(zone);
  if ((zone === undefined) === !pattern.hasOffset) {
    throw new UsageError(
      pattern.hasOffset
        ? `The time format "${format}" contains an offset; leave out the zone.`
        : `The time format "${format}" does not say in which zone; add one, such as UTC or Europe/Berlin.`,
    );
  }
  return (text) => momentOf(pattern.read(text), { zone, format });
}

function mismatch(format: string): CellError {
  return new CellError(`must be a time written as ${format}`);
}

function dateOf(parts: PatternParts | undefined, format: string): string | CellError {
  if (parts === undefined) return mismatch(format);
  return isFullDate(parts.date) ? parts.date : new CellError("is not a day in the calendar");
}

function momentOf(
  parts: PatternParts | undefined,
  { zone, format }: { zone: string | undefined; format: string },
): string | CellError {
  if (parts === undefined) return mismatch(format);
  const { date, time, fraction, offset } = parts;
  const local = `${date}T${time}`;
  if (normaliseTimestamp(`${local}Z`) === undefined) {
    return new CellError("is not a time in the calendar");
  }
  const known = offset ?? offsetText(zone ?? "UTC", local);
  if (known === undefined)
    return new CellError(`does not exist in ${zone ?? "UTC"}: clocks went forward`);
  return `${local}${fraction === "" ? "" : `.${fraction}`}${known}`;
}

function offsetText(zone: string, local: string): string | undefined {
  if (zone === "UTC") return "Z";
  if (/^[+-]/.test(zone)) return zone;
  const minutes = offsetMinutesIn(zone, local);
  if (minutes === undefined) return undefined;
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`;
}

const twoDigitTexts = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));

/** Of a number below 60. */
function twoDigits(number: number): string {
  return twoDigitTexts[number] ?? "";
}
