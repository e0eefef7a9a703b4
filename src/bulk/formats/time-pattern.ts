// Compiles patterns of dates and times, with the letters that spreadsheets and most languages use, to regular
// expressions. Time zones are not part of a pattern.

import { UsageError } from "../../actions/operator/operator-error.ts";

export interface PatternParts {
  /** Such as `2026-01-31`; not checked against the calendar. */
  readonly date: string;
  /** Such as `09:30:00`. */
  readonly time: string;
  /** Digits after the second; may be empty. */
  readonly fraction: string;
  /** `Z` or such as `+01:00`, if the pattern has one. */
  readonly offset: string | undefined;
}

export interface Pattern {
  readonly hasOffset: boolean;
  read(text: string): PatternParts | undefined;
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** The letters of a pattern, longest first, with the name and expression of the group that they stand for. */
const tokens: readonly (readonly [letters: string, name: string, matches: string])[] = [
  ["yyyy", "year", String.raw`\d{4}`],
  ["yy", "shortYear", String.raw`\d\d`],
  ["MMM", "monthName", "[A-Za-z]{3}"],
  ["MM", "month", String.raw`\d\d`],
  ["M", "month", String.raw`\d{1,2}`],
  ["dd", "day", String.raw`\d\d`],
  ["d", "day", String.raw`\d{1,2}`],
  ["HH", "hour", String.raw`\d\d`],
  ["H", "hour", String.raw`\d{1,2}`],
  ["hh", "halfHour", String.raw`\d\d`],
  ["h", "halfHour", String.raw`\d{1,2}`],
  ["mm", "minute", String.raw`\d\d`],
  ["ss", "second", String.raw`\d\d`],
  ["SSSSSSSSS", "fraction", String.raw`\d{9}`],
  ["SSSSSS", "fraction", String.raw`\d{6}`],
  ["SSS", "fraction", String.raw`\d{3}`],
  ["S", "fraction", String.raw`\d{1,9}`],
  ["a", "half", "[AaPp][Mm]"],
  ["XXX", "offset", String.raw`Z|[+-]\d\d:\d\d`],
  ["XX", "offset", String.raw`Z|[+-]\d{4}`],
];

/**
 * Text in single quotes stands for itself, and so does T. Throws UsageError that says what is wrong with the pattern.
 */
export function compilePattern(pattern: string): Pattern {
  const names = new Set<string>();
  let source = "";
  for (let rest = pattern; rest !== "";) {
    const quoted = /^'([^']*)'/.exec(rest);
    const token = tokens.find(([letters]) => rest.startsWith(letters));
    if (quoted !== null) {
      source += RegExp.escape(quoted[1] ?? "");
      rest = rest.slice(quoted[0].length);
    } else if (token !== undefined) {
      const [letters, name, matches] = token;
      if (names.has(name)) throw invalid(pattern, `has ${letters} twice`);
      names.add(name);
      source += `(?<${name}>${matches})`;
      rest = rest.slice(letters.length);
    } else {
      if (/^[A-SU-Za-z]/.test(rest))
        throw invalid(pattern, `has "${rest.charAt(0)}", which stands for nothing`);
      source += RegExp.escape(rest.charAt(0));
      rest = rest.slice(1);
    }
  }
  requireDate(pattern, names);
  const expression = new RegExp(`^${source}$`);
  const today = new Date().toISOString().slice(0, "0000-00-00".length);
  return {
    hasOffset: names.has("offset"),
    read: (text) => {
      const groups = expression.exec(text)?.groups;
      return groups === undefined ? undefined : partsOf(groups, today);
    },
  };
}

function requireDate(pattern: string, names: ReadonlySet<string>): void {
  const has = (...wanted: readonly string[]): boolean => wanted.some((name) => names.has(name));
  if (!has("year", "shortYear") || !has("month", "monthName") || !has("day")) {
    throw invalid(pattern, "must have a year (yyyy), a month (MM) and a day (dd)");
  }
  if (has("halfHour") !== has("half"))
    throw invalid(pattern, "must have hh and a (am or pm) together");
}

function invalid(pattern: string, why: string): UsageError {
  return new UsageError(
    `The time format "${pattern}" ${why}. It is rfc3339, unix, unix_ms, unix_us, unix_ns, days:2025-01-01, or a pattern ` +
      "such as yyyy-MM-dd HH:mm:ss UTC or dd.MM.yyyy Europe/Berlin.",
  );
}

type Groups = Readonly<Record<string, string | undefined>>;

/** A year of two digits is the last one by which the date is not in the future. */
function partsOf(groups: Groups, today: string): PatternParts {
  const { day = "01", minute = "00", second = "00", fraction = "", offset } = groups;
  const rest = [monthOf(groups), day.padStart(2, "0")].join("-");
  const thisCentury = `20${groups["shortYear"] ?? "00"}`;
  const shortYear = `${thisCentury}-${rest}` > today ? `19${groups["shortYear"]}` : thisCentury;
  const date = `${groups["year"] ?? shortYear}-${rest}`;
  const time = [hourOf(groups), minute, second].join(":");
  return { date, time, fraction, offset: offset === undefined ? undefined : withColon(offset) };
}

/** An offset as RFC 3339 writes it: `Z`, or `+01:00` also for `+0100`. */
function withColon(offset: string): string {
  const hasColon = offset === "Z" || offset.includes(":");
  return hasColon ? offset : `${offset.slice(0, 3)}:${offset.slice(3)}`;
}

/** Returns 00, which is not in the calendar, for a name that is not a month. */
function monthOf({ month, monthName = "" }: Groups): string {
  const number = month ?? String(months.indexOf(monthName.toLowerCase()) + 1);
  return number.padStart(2, "0");
}

/** 12 am is midnight, 12 pm noon. Returns 99, which is not a time, for an hour that is not on a clock. */
function hourOf({ hour, halfHour, half = "" }: Groups): string {
  if (halfHour === undefined) return (hour ?? "00").padStart(2, "0");
  const shown = Number(halfHour);
  if (shown < 1 || shown > 12) return "99";
  return String((shown % 12) + (half.toLowerCase() === "pm" ? 12 : 0)).padStart(2, "0");
}
