// Converts times in the formats of files to RFC 3339. Never guesses: text that does not match its format, a day that is
// not in the calendar, and a local time that does not exist are errors.

import { isFullDate, normaliseTimestamp } from "../../domain/timestamp.ts";
import { dayMs, hourMs } from "../../basics/duration.ts";
import { withoutTrailing } from "../../basics/without-trailing.ts";
import { CellError, shown } from "./csv-cell.ts";
import { UsageError } from "../../actions/operator/operator-error.ts";
import { compilePattern, type PatternParts } from "./time-pattern.ts";
import { knownOffset, offsetIn } from "./time-zone.ts";

export type ReadTime = (text: string) => string | CellError;
type Wanted = "date-time" | "date";

const unixUnits: Readonly<Record<string, number>> = { unix: 0, unix_ms: 3, unix_us: 6, unix_ns: 9 };

const formatCharactersMax = 200;

export const namedTimes: readonly (readonly [format: string, example: string, meaning: string])[] =
  [
    ["rfc3339", "2026-01-31T09:30:00Z", "RFC 3339, the default"],
    [
      "unix",
      "1769851800",
      "seconds since 1970; milliseconds, microseconds or nanoseconds, if it is a time from 1990 to 2099 only in these",
    ],
    ["unix_ms", "1769851800000", "milliseconds since 1970"],
    ["unix_us", "1769851800000000", "microseconds since 1970"],
    ["unix_ns", "1769851800000000000", "nanoseconds since 1970"],
    [
      "days:2025-01-01",
      "395.25",
      "days since the start of that day, in UTC, or in a zone that follows it, as in `days:1899-12-30 Europe/Berlin` for the numbers of Excel",
    ],
    ["hours:2025-01-01", "9486", "hours since then, in the same way"],
  ];

/** Such as `unix_ms`, or a pattern such as `dd.MM.yyyy HH:mm:ss Europe/Berlin`. Throws UsageError. */
export function compileTimeFormat(format: string, wanted: Wanted): ReadTime {
  if (format === "rfc3339") return readRfc3339;
  if (format.length > formatCharactersMax) {
    throw new UsageError(`The time format is longer than ${formatCharactersMax} characters.`);
  }
  if (Object.hasOwn(unixUnits, format)) return (text) => readUnix(text, { format, wanted });
  const counted = /^(?<unit>days|hours):(?<epoch>\S*)(?: +(?<zone>\S+))?$/.exec(format)?.groups;
  return counted === undefined ? readerOfPattern(format, wanted) : countedSince(counted, wanted);
}

function readRfc3339(text: string): string | CellError {
  return normaliseTimestamp(text) === undefined
    ? new CellError("must be an RFC 3339 time with offset, such as 2026-01-31T09:30:00Z")
    : text;
}

/** The years from 1990 to 2099, of which no time in one unit is also one in another. */
const [plausibleFrom, plausibleTo] = [631_152_000, 4_102_444_800];

function plausibleUnit(number: number): string | undefined {
  return Object.keys(unixUnits).find((unit) => {
    const seconds = number / 10 ** (unixUnits[unit] ?? 0);
    return seconds >= plausibleFrom && seconds < plausibleTo;
  });
}

function readUnix(
  text: string,
  { format, wanted }: { format: string; wanted: Wanted },
): string | CellError {
  const [, whole = "", more = ""] = /^(-?\d{1,24})(?:\.(\d+))?$/.exec(text) ?? [];
  const plausible = plausibleUnit(Number(whole));
  const isTold = format === "unix";
  if (!isTold && plausible !== undefined && plausible !== format) {
    return new CellError(`is no plausible time in ${format}, but is one in ${plausible}`);
  }
  if (isTold && plausible === undefined && Number(whole) >= plausibleFrom) {
    return new CellError("is no time from 1990 to 2099 in any unit; name the unit, as in unix_ms");
  }
  const digits = unixUnits[plausible ?? format] ?? 0;
  const padded = whole.padStart(digits + 1, "0");
  const split = padded.length - digits;
  const fraction = withoutTrailing(padded.slice(split) + more, "0");
  // Before 1970, a fraction would count backwards.
  if (whole === "" || (whole.startsWith("-") && fraction !== "")) {
    return new CellError("must be a Unix time, such as 1769851800");
  }
  return fromSeconds(Number(padded.slice(0, split)), { fraction, wanted });
}

/** Days are those of a calendar: a day on which clocks change has 24 hours too. */
function countedSince(
  { unit = "", epoch = "", zone = "UTC" }: Readonly<Record<string, string>>,
  wanted: Wanted,
): ReadTime {
  if (!isFullDate(epoch)) {
    throw new UsageError(
      `The time format ${unit}:${epoch} must name a day, as in days:2025-01-01.`,
    );
  }
  requireZone(zone);
  const startMs = Date.parse(`${epoch}T00:00:00Z`);
  const unitMs = unit === "days" ? dayMs : hourMs;
  return (text) => {
    if (!/^-?\d{1,7}(?:\.\d+)?$/.test(text)) return new CellError(`must be ${unit} since ${epoch}`);
    const local = new Date(startMs + Math.round(Number(text) * unitMs)).toISOString();
    const [date = "", second = "", fraction = ""] = local.split(/[T.Z]/);
    if (!isFullDate(date)) return outsideYears;
    const digits = withoutTrailing(fraction, "0");
    const time = digits === "" ? second : `${second}.${digits}`;
    return wanted === "date" ? date : momentOf({ date, time, zone });
  };
}

const outsideYears = new CellError("must be a time in the years 0000 to 9999");
const [firstSecond, lastSecond] = [-62_167_219_200, 253_402_300_799];

function fromSeconds(
  seconds: number,
  { fraction, wanted }: { fraction: string; wanted: Wanted },
): string | CellError {
  if (!(seconds >= firstSecond && seconds <= lastSecond)) {
    return outsideYears;
  }
  const text = new Date(seconds * 1_000).toISOString();
  if (wanted === "date") return text.slice(0, "0000-00-00".length);
  return `${text.slice(0, -".000Z".length)}${fraction === "" ? "" : `.${fraction}`}Z`;
}

/** A zone follows the pattern: a name such as Europe/Berlin, UTC, or an offset such as +01:00. */
function readerOfPattern(format: string, wanted: Wanted): ReadTime {
  const [, before, zone] =
    /^(.*\S)\s+(UTC|[+-]\d\d:\d\d|[A-Z][A-Za-z_]+\/[\w/+-]+)$/.exec(format) ?? [];
  const pattern = compilePattern(before ?? format);
  const mismatch = (text: string) =>
    new CellError(`must be a time written as ${format}, not ${shown(text)}`);
  if (wanted === "date") return (text) => dateOf(pattern.read(text)) ?? mismatch(text);
  if (zone !== undefined) requireZone(zone);
  if ((zone === undefined) === !pattern.hasZone) {
    throw new UsageError(
      pattern.hasZone
        ? `The time format "${format}" contains the zone; leave out the one at its end.`
        : `The time format "${format}" does not say in which zone; add one, such as UTC or Europe/Berlin.`,
    );
  }
  return (text) => {
    const parts = pattern.read(text);
    return parts === undefined ? mismatch(text) : momentOf(parts, zone);
  };
}

function requireZone(zone: string): void {
  try {
    offsetIn(zone, "2000-01-01T00:00:00");
  } catch {
    throw new UsageError(
      `There is no time zone ${zone}. A zone is UTC, an offset such as +01:00, or a name such as Europe/Berlin.`,
    );
  }
}

function dateOf(parts: PatternParts | undefined): string | CellError | undefined {
  if (parts === undefined) return undefined;
  return isFullDate(parts.date) ? parts.date : new CellError("is not a day in the calendar");
}

const timeOfDay = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d/;

function momentOf(parts: PatternParts, ofFormat?: string): string | CellError {
  const { date, time, zone = ofFormat ?? "UTC" } = parts;
  const isTime = timeOfDay.test(time);
  const fixedOffset = knownOffset(zone, date);
  if (isTime && fixedOffset !== undefined) return `${date}T${time}${fixedOffset}`;
  if (!isTime || !isFullDate(date)) return new CellError("is not a time in the calendar");
  try {
    const offset = offsetIn(zone, `${date}T${time}`);
    if (offset !== undefined) return `${date}T${time}${offset}`;
    return new CellError(`does not exist in ${zone}: clocks went forward`);
  } catch {
    return new CellError(
      `is in the zone ${zone}, which is not a zone or stands for several; name it as in Europe/Berlin`,
    );
  }
}
