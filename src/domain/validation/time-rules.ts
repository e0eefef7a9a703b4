// The rules about times that every type has: no timestamp in the future or before the first day, no date of birth to
// come, no currency after it was withdrawn.

import type { FieldError } from "../error.ts";
import { withdrawalOf } from "../schema/codes.ts";
import { limits } from "../limits.ts";
import { filingField } from "../retention/floor-origin.ts";
import type { Payload, RecordType } from "../record-type.ts";
import { latestTimestamp, timestampOf } from "../timestamp.ts";

const tooFarAhead: FieldError = {
  field: "timestamp",
  message: `must be at most ${limits.timestampAheadDaysMax} days in the future; check its year and the clock it comes from`,
};

export function timeErrors(
  { pastDates, currencyFields }: RecordType,
  payload: Payload,
  { now, timestampMin }: { readonly now: number; readonly timestampMin: string },
): readonly FieldError[] {
  const timestamp = timestampOf(payload);
  let errors: readonly FieldError[] = [];
  if (timestamp !== undefined && timestamp > latestTimestamp(now)) errors = [tooFarAhead];
  if (timestamp !== undefined && timestamp < timestampMin) {
    errors = [tooEarly("timestamp", timestamp, timestampMin)];
  }
  // Retention counts from it, too.
  const filedAt = timestampOf(payload, filingField);
  if (filedAt !== undefined && filedAt < timestampMin) {
    errors = [...errors, tooEarly(filingField, filedAt, timestampMin)];
  }
  for (const field of pastDates) {
    const date = payload[field];
    if (typeof date === "string" && date > lastDate(now)) {
      const message = "must not be in the future; check its year, above all if that had two digits";
      errors = [...errors, { field, message }];
    }
  }
  for (const field of currencyFields) {
    const { month = "9999-12", successor } = withdrawalOf(payload[field]) ?? {};
    if (timestamp === undefined || timestamp.slice(0, month.length) <= month) continue;
    const what = successor === undefined ? "withdrawn" : `replaced by ${successor}`;
    errors = [...errors, { field, message: `was ${what} in ${month}, before the timestamp` }];
  }
  return errors;
}

/** The date in the zone that is furthest ahead of UTC. */
function lastDate(now: number): string {
  const aheadMs = 14 * 60 * 60_000;
  return new Date(now + aheadMs).toISOString().slice(0, "0000-00-00".length);
}

/** What programs write when they mean no time at all. Each is a beginning of a timestamp in UTC. */
const blankTimes: readonly (readonly [begins: string, cause: string])[] = [
  ["0001-01-0", "the first day of the year 1 is the unset time of Go and .NET"],
  ["0000-12-31", "the first day of the year 1 is the unset time of Go and .NET"],
  ["1899-12-3", "it is the blank day of a spreadsheet"],
  ["1900-01-0", "it is the blank day of a spreadsheet"],
  ["1904-01-0", "it is the blank day of a spreadsheet"],
  ["1970-01", "January 1970 is what 0, or seconds that are read as milliseconds, become"],
  ["1969-12-31", "the end of 1969 is 0 or -1 as a Unix time"],
];

function tooEarly(field: string, time: string, timestampMin: string): FieldError {
  const [, cause = "check its year and where it comes from"] =
    blankTimes.find(([begins]) => time.startsWith(begins)) ?? [];
  const message = `must not be before ${timestampMin} (TIMESTAMP_MIN); ${cause}`;
  return { field, message };
}
