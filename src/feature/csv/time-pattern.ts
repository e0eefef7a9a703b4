// Compiles patterns of dates and times, with the letters of Java and of most spreadsheets, to regular expressions.

import { UsageError } from "../../actions/operator/operator-error.ts";

export interface PatternParts {
  /** Such as `2026-01-31`; not checked against the calendar. */
  readonly date: string;
  /** Such as `09:30:00.120`, with the digits of the text after the second. */
  readonly time: string;
  /** What the text says of the zone, if the pattern has it: `Z`, an offset or a name. */
  readonly zone: string | undefined;
}

export interface Pattern {
  readonly hasZone: boolean;
  read(text: string): PatternParts | undefined;
}

const space = String.raw`[ \u00a0\u202f]`;
const word = String.raw`\p{L}{1,20}\.?`;

/** Longer runs first: letters, the part of a time (once in a pattern), what matches it, and what they mean. */
export const timeLetters: readonly (readonly [
  letters: string,
  part: string,
  matches: string,
  meaning: string,
])[] = [
  ["yyyy", "year", String.raw`\d{4}`, "year"],
  ["yy", "shortYear", String.raw`\d\d`, "year that is not in the future"],
  ["MMMM", "monthName", word, "name of the month, long or short"],
  ["MMM", "monthName", word, "name of the month, long or short"],
  ["MM", "month", String.raw`\d\d`, "month, two digits"],
  ["M", "month", String.raw`\d{1,2}`, "month"],
  ["dd", "day", String.raw`\d\d`, "day, two digits"],
  ["d", "day", String.raw`\d{1,2}`, "day"],
  ["HH", "hour", String.raw`\d\d`, "hour, 00 to 23"],
  ["H", "hour", String.raw`\d{1,2}`, "hour, 0 to 23"],
  ["hh", "halfHour", String.raw`\d\d`, "hour, 01 to 12, with `a`"],
  ["h", "halfHour", String.raw`\d{1,2}`, "hour, 1 to 12, with `a`"],
  ["a", "half", `[AaPp]\\.?${space}?[Mm]\\.?`, "am or pm, also as a.m. or P.M."],
  ["mm", "minute", String.raw`\d\d`, "minute"],
  ["ss", "second", String.raw`\d\d`, "second"],
  ["SSSSSSSSS", "fraction", String.raw`\d{9}`, "nine digits of a second"],
  ["SSSSSS", "fraction", String.raw`\d{6}`, "six digits of a second"],
  ["SSS", "fraction", String.raw`\d{3}`, "three digits of a second"],
  ["S", "fraction", String.raw`\d{1,9}`, "one to nine digits of a second"],
  ["EEEE", "weekday", word, "name of the day, which is not checked"],
  ["EEE", "weekday", word, "name of the day, which is not checked"],
  ["XXX", "zone", String.raw`Z|[+-]\d\d:\d\d`, "offset such as +01:00"],
  ["XX", "zone", String.raw`Z|[+-]\d{4}`, "offset such as +0100"],
  ["X", "zone", String.raw`Z|[+-]\d\d(?::?\d\d)?`, "offset, also such as +01"],
  [
    "VV",
    "zone",
    String.raw`[A-Z][\w\/+\-:]{0,50}(?: Time \(US & Canada\))?|[+-]\d\d(?::?\d\d)?`,
    "name of a zone, or offset",
  ],
];

/** More could match in too many ways. */
const optionalMax = 2;
const optionalParts: ReadonlySet<string> = new Set(["second", "fraction"]);

/** Seconds and their fraction may be missing if they are in brackets. Throws UsageError. */
export function compilePattern(pattern: string): Pattern {
  const parts = new Set<string>();
  let [opened, depth] = [0, 0];
  const source = pattern.replaceAll(/'([^']*)'|([A-Za-z])\2*|./gs, (element, quoted?: string) => {
    if (quoted !== undefined) return RegExp.escape(quoted);
    if (element === " ") return space;
    if (element === "[" || element === "]") {
      opened += element === "[" ? 1 : 0;
      depth += element === "[" ? 1 : -1;
      if (depth < 0) throw invalid(pattern, "has a bracket without its counterpart");
      return element === "[" ? "(?:" : ")?";
    }
    if (!/^[A-SU-Za-z]/.test(element)) return RegExp.escape(element);
    const [, part, matches] = timeLetters.find(([letters]) => letters === element) ?? [];
    if (part === undefined) throw invalid(pattern, `has "${element}", which stands for nothing`);
    if (parts.has(part)) throw invalid(pattern, `has ${element} twice`);
    if (depth > 0 && !optionalParts.has(part)) throw invalid(pattern, `has ${element} in brackets`);
    parts.add(part);
    return `(${matches})`;
  });
  if (opened > optionalMax) throw invalid(pattern, `has more than ${optionalMax} brackets`);
  if (depth !== 0) throw invalid(pattern, "has a bracket without its counterpart");
  requireDate(pattern, parts);
  const expression = new RegExp(`^${source}$`, "u");
  const names = [...parts];
  const today = new Date().toISOString().slice(0, "0000-00-00".length);
  return {
    hasZone: parts.has("zone"),
    read: (text) => {
      const match = expression.exec(text);
      if (match === null) return undefined;
      // Named groups take three times as long.
      const groups: Groups = {};
      for (let index = 0; index < names.length; index += 1) {
        groups[names[index] ?? ""] = match[index + 1];
      }
      return partsOf(groups, today);
    },
  };
}

function requireDate(pattern: string, parts: ReadonlySet<string>): void {
  const has = (...wanted: readonly string[]): boolean => wanted.some((part) => parts.has(part));
  if (!has("year", "shortYear") || !has("month", "monthName") || !has("day")) {
    throw invalid(pattern, "must have a year (yyyy), a month (MM) and a day (dd)");
  }
  if (has("halfHour") !== has("half"))
    throw invalid(pattern, "must have hh and a (am or pm) together");
}

function invalid(pattern: string, why: string): UsageError {
  return new UsageError(
    `The time format "${pattern}" ${why}. It is rfc3339, unix, unix_ms, unix_us, unix_ns, days:2025-01-01, hours:2025-01-01, or a pattern ` +
      "such as yyyy-MM-dd HH:mm:ss UTC or dd.MM.yyyy Europe/Berlin.",
  );
}

type Groups = Record<string, string | undefined>;

/** A year of two digits is the last one by which the date is not in the future. */
function partsOf(groups: Groups, today: string): PatternParts {
  const { year, shortYear, month, monthName = "", zone, fraction } = groups;
  const { day = "01", minute = "00", second = "00" } = groups;
  const monthAndDay = `${month?.padStart(2, "0") ?? monthOf(monthName)}-${day.padStart(2, "0")}`;
  const thisCentury = `20${shortYear}-${monthAndDay}`;
  const date = year === undefined ? thisCentury : `${year}-${monthAndDay}`;
  const isPast = year === undefined && thisCentury > today;
  const time = `${hourOf(groups)}:${minute}:${second}${fraction === undefined ? "" : `.${fraction}`}`;
  return { date: isPast ? `19${shortYear}-${monthAndDay}` : date, time, zone };
}

/** 12 am is midnight, 12 pm noon. Returns 99, which is not a time, for an hour that is not on a clock. */
function hourOf({ hour = "00", halfHour, half = "" }: Groups): string {
  if (halfHour === undefined) return hour.padStart(2, "0");
  const shown = Number(halfHour);
  if (shown < 1 || shown > 12) return "99";
  return String((shown % 12) + (/^p/i.test(half) ? 12 : 0)).padStart(2, "0");
}

const languages = ["en", "de", "fr", "es", "it", "pt", "nl", "da", "sv"];
let months: ReadonlyMap<string, string> | undefined;

/** Returns 00, which is not in the calendar, for a name that is not a month. */
function monthOf(name: string): string {
  months ??= namesOfMonths();
  return months.get(plainName(name)) ?? "00";
}

/** And the one that spreadsheets have in German. */
function namesOfMonths(): ReadonlyMap<string, string> {
  const names = new Map([["mrz", "03"]]);
  for (const language of languages) {
    for (const month of ["long", "short"] as const) {
      const formatter = new Intl.DateTimeFormat(language, { month, timeZone: "UTC" });
      for (let number = 1; number <= 12; number += 1) {
        const text = String(number).padStart(2, "0");
        names.set(plainName(formatter.format(Date.UTC(2026, number - 1, 1))), text);
      }
    }
  }
  return names;
}

function plainName(name: string): string {
  return name.toLowerCase().replace(".", "");
}
