// RFC 3339 timestamps as clients send them, and the normalised form in which they are compared. Never rounds: all
// digits of a fraction count.

import { limits } from "./limits.ts";
import { withoutTrailing } from "../basics/without-trailing.ts";

const afterSeconds = /^(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;
const fullDate = /^(\d{4})-(\d\d)-(\d\d)$/;
const wholeSeconds = "0000-00-00T00:00:00";
/** A point and the digits. */
const fractionMax = limits.fractionDigitsMax + 1;
const minutesPerDay = 24 * 60;
const secondsPerDay = minutesPerDay * 60;
const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** A UTC instant as text that sorts in time order: `YYYY-MM-DDTHH:MM:SS[.fraction]`, no trailing zeros, no `Z`. */
export type NormalisedTimestamp = string;

/** RFC 3339 date-time (section 5.6, offset required). A leap second is valid only at 23:59:60 UTC. */
export function normaliseTimestamp(text: string): NormalisedTimestamp | undefined {
  // The timestamp of a payload is read twice in a row, for validation and for the draft.
  if (text !== latest.text) latest = { text, normalised: normalise(text) };
  return latest.normalised;
}

/** Returns undefined if the field of a payload has no valid time. */
export function timestampOf(
  payload: Readonly<Record<string, unknown>>,
  field = "timestamp",
): NormalisedTimestamp | undefined {
  const sent = payload[field];
  return typeof sent === "string" ? normaliseTimestamp(sent) : undefined;
}

let latest: { readonly text: string; readonly normalised: NormalisedTimestamp | undefined } = {
  text: "",
  normalised: undefined,
};

function normalise(text: string): NormalisedTimestamp | undefined {
  if (!hasSeconds(text)) return undefined;
  const second = twoDigitsAt(text, 17);
  // The usual forms: matching the regular expression takes several times as long.
  if (second < 60 && text[10] === "T" && isShortestUtc(text)) return text.slice(0, -1);
  const part = afterSeconds.exec(text.slice(wholeSeconds.length));
  if (part === null) return undefined;
  const [, fraction, sign, offsetHour, offsetMinute] = part;
  if (fraction !== undefined && fraction.length > limits.fractionDigitsMax) return undefined;
  const offset = offsetMinutes(sign, offsetHour, offsetMinute);
  if (offset === undefined) return undefined;
  const minutes = twoDigitsAt(text, 11) * 60 + twoDigitsAt(text, 14) - offset;
  const toMinute = minuteInUtc(text.slice(0, "0000-00-00".length), minutes);
  if (toMinute === undefined) return undefined;
  if (second === 60 && !toMinute.endsWith("T23:59")) return undefined;
  const digits = fraction === undefined ? "" : withoutTrailing(fraction, "0");
  return `${toMinute}:${text.slice(17, 19)}${digits === "" ? "" : `.${digits}`}`;
}

/** Whether a `Z` follows the seconds, or a fraction without trailing zeros and a `Z`. */
function isShortestUtc(text: string): boolean {
  const [from, last] = [wholeSeconds.length, text.length - 1];
  if (text[last] !== "Z" || last - from > fractionMax) return false;
  for (let at = from + 1; at < last; at += 1) if (!isDigit(text, at)) return false;
  return last === from || (text[from] === "." && last - from > 1 && text[last - 1] !== "0");
}

/** Whether it begins with a day of the calendar and a time. */
function hasSeconds(text: string): boolean {
  if (text.length <= wholeSeconds.length) return false;
  for (let at = 0; at < wholeSeconds.length; at += 1) {
    const isExpected = wholeSeconds[at] === "0" ? isDigit(text, at) : text[at] === wholeSeconds[at];
    if (!isExpected && !(at === 10 && text[at] === "t")) return false;
  }
  if (twoDigitsAt(text, 11) > 23 || twoDigitsAt(text, 14) > 59 || twoDigitsAt(text, 17) > 60) {
    return false;
  }
  const year = twoDigitsAt(text, 0) * 100 + twoDigitsAt(text, 2);
  return isCalendarDay(year, twoDigitsAt(text, 5), twoDigitsAt(text, 8));
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

function twoDigitsAt(text: string, at: number): number {
  return text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 0x30 * 11;
}

/** The first day of timestamps that may be sent, unless a setting says otherwise. */
export const timestampMinDefault = "1980-01-01";

/** The latest timestamp that may be sent at a time (Unix milliseconds), to the second. */
export function latestTimestamp(now: number): NormalisedTimestamp {
  const second = Math.floor(now / 1_000) + limits.timestampAheadDaysMax * secondsPerDay;
  // Called for every record, mostly within the same second.
  if (second !== bound.second) {
    bound = { second, text: new Date(second * 1_000).toISOString().slice(0, -".000Z".length) };
  }
  return bound.text;
}

let bound = { second: 0, text: "1970-01-01T00:00:00" };

/** The reply form of a normalised timestamp: RFC 3339 in UTC. */
export function formatTimestamp(normalised: NormalisedTimestamp): string {
  return `${normalised}Z`;
}

/** Unix milliseconds, rounded up to whole ones: the first that is not before the timestamp. */
export function unixMsOf(normalised: NormalisedTimestamp): number {
  const [toSecond = "", fraction = ""] = normalised.split(".");
  const isLeapSecond = toSecond.endsWith(":60");
  const second = isLeapSecond ? `${toSecond.slice(0, -2)}59` : toSecond;
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, "0"));
  const more = (isLeapSecond ? 1_000 : 0) + (fraction.length > 3 ? 1 : 0);
  return Date.parse(`${second}Z`) + milliseconds + more;
}

/** True for an RFC 3339 full-date (`2026-01-31`) that is in the calendar. */
export function isFullDate(text: string): boolean {
  const part = fullDate.exec(text);
  return part !== null && isCalendarDay(Number(part[1]), Number(part[2]), Number(part[3]));
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const last = month === 2 && leap ? 29 : daysInMonth[month - 1];
  return last !== undefined && day >= 1 && day <= last;
}

function offsetMinutes(sign?: string, hour?: string, minute?: string): number | undefined {
  if (sign === undefined) return 0;
  if (Number(hour) > 23 || Number(minute) > 59) return undefined;
  const minutes = Number(hour) * 60 + Number(minute);
  return sign === "-" ? -minutes : minutes;
}

/** Minutes are counted from the start of the day; those of another day need the calendar, which costs more. */
function minuteInUtc(day: string, minutes: number): string | undefined {
  if (minutes >= 0 && minutes < minutesPerDay) {
    return `${day}T${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
  }
  const moved = new Date(Date.parse(`${day}T00:00:00.000Z`) + minutes * 60_000).toISOString();
  // Years before 0000 and after 9999 come back in the expanded form and have no place in RFC 3339.
  return moved.length === 24 ? moved.slice(0, 16) : undefined;
}

function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : `${number}`;
}
