// Times in files, and their values; a time that matches no format or no calendar is an error and
// never guessed.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "../../../src/actions/operator/operator-error.ts";
import { CellError } from "../../../src/bulk/formats/csv-cell.ts";
import { compileTimeFormat } from "../../../src/bulk/formats/time-format.ts";
import { normaliseTimestamp } from "../../../src/domain/timestamp.ts";

const moments: readonly (readonly [format: string, text: string, moment: string])[] = [
  ["rfc3339", "2026-01-31T09:30:00.5+02:00", "2026-01-31T09:30:00.5+02:00"],
  ["unix", "1769851800", "2026-01-31T09:30:00Z"],
  ["unix", "1769851800.125", "2026-01-31T09:30:00.125Z"],
  ["unix", "0", "1970-01-01T00:00:00Z"],
  ["unix", "-1", "1969-12-31T23:59:59Z"],
  ["unix_ms", "1769851800007", "2026-01-31T09:30:00.007Z"],
  ["unix_ms", "7", "1970-01-01T00:00:00.007Z"],
  ["unix_us", "1769851800000001", "2026-01-31T09:30:00.000001Z"],
  ["unix_ns", "1769851800123456789", "2026-01-31T09:30:00.123456789Z"],
  ["days:2025-01-01", "0", "2025-01-01T00:00:00Z"],
  ["days:2025-01-01", "31", "2025-02-01T00:00:00Z"],
  ["days:2025-01-01", "-1", "2024-12-31T00:00:00Z"],
  ["unix", "1769851800007", "2026-01-31T09:30:00.007Z"],
  ["unix", "1769851800000001", "2026-01-31T09:30:00.000001Z"],
  ["unix", "1769851800123456789", "2026-01-31T09:30:00.123456789Z"],
  ["unix", "315532800", "1980-01-01T00:00:00Z"],
  ["unix_ms", "315532800000", "1980-01-01T00:00:00Z"],
  ["hours:2026-01-01", "25.5", "2026-01-02T01:30:00Z"],
  ["days:2025-01-01", "0.5", "2025-01-01T12:00:00Z"],
  ["yyyy-MM-dd HH:mm:ss UTC", "2026-01-31 09:30:00", "2026-01-31T09:30:00Z"],
  ["yyyy-MM-ddTHH:mm:ss.SSS UTC", "2026-01-31T09:30:00.120", "2026-01-31T09:30:00.120Z"],
  ["dd.MM.yyyy HH:mm:ss Europe/Berlin", "31.01.2026 09:30:00", "2026-01-31T09:30:00+01:00"],
  ["dd.MM.yyyy HH:mm:ss Europe/Berlin", "31.07.2026 09:30:00", "2026-07-31T09:30:00+02:00"],
  ["dd.MM.yyyy Europe/Berlin", "31.01.2026", "2026-01-31T00:00:00+01:00"],
  ["M/d/yy h:mm a America/New_York", "1/5/26 12:05 am", "2026-01-05T00:05:00-05:00"],
  ["M/d/yy h:mm a America/New_York", "1/5/26 12:05 PM", "2026-01-05T12:05:00-05:00"],
  ["dd/MM/yy UTC", "12/05/99", "1999-05-12T00:00:00Z"],
  ["dd-MMM-yyyy HH:mm Asia/Kolkata", "05-Mar-2026 10:00", "2026-03-05T10:00:00+05:30"],
  ["yyyyMMddHHmmss +03:00", "20260131093000", "2026-01-31T09:30:00+03:00"],
  ["yyyy-MM-dd HH:mm:ssXXX", "2026-01-31 09:30:00-08:00", "2026-01-31T09:30:00-08:00"],
  ["yyyy-MM-dd HH:mm:ssXX", "2026-01-31 09:30:00+0530", "2026-01-31T09:30:00+05:30"],
  ["yyyy-MM-dd HH:mm:ss[.S]X", "2026-01-31 09:30:00.123456+02", "2026-01-31T09:30:00.123456+02:00"],
  ["yyyy-MM-dd HH:mm:ss[.S]X", "2026-01-31 09:30:00-0330", "2026-01-31T09:30:00-03:30"],
  ["yyyy-MM-dd HH:mm[:ss[.S]]X", "2026-01-31 09:30-03", "2026-01-31T09:30:00-03:00"],
  ["yyyy-MM-dd HH:mm:ss VV", "2026-07-31 09:30:00 Europe/Berlin", "2026-07-31T09:30:00+02:00"],
  ["yyyy-MM-dd HH:mm:ss VV", "2026-07-31 09:30:00 PDT", "2026-07-31T09:30:00-07:00"],
  ["d MMM yyyy, h:mm a UTC", "5 mars 2026, 9:30 p.m.", "2026-03-05T21:30:00Z"],
  ["d. MMM yyyy h:mm a UTC", "5. März 2026 9:30\u202fAM", "2026-03-05T09:30:00Z"],
  // Twice on that day's clock; the first time counts.
  ["yyyy-MM-dd HH:mm Europe/Berlin", "2026-10-25 02:30", "2026-10-25T02:30:00+02:00"],
];

const fieldErrors: readonly (readonly [format: string, text: string, message: RegExp])[] = [
  ["rfc3339", "2026-01-31T09:30:00", /RFC 3339/],
  ["unix", "yesterday", /Unix time/],
  ["unix", "", /Unix time/],
  ["unix", "-1.5", /Unix time/],
  ["unix", "315532800000", /no time from 1990 to 2099 in any unit; name the unit/],
  ["unix", "253402300799", /no time from 1990 to 2099/],
  ["unix_ms", "1769851800", /no plausible time in unix_ms, but is one in unix$/],
  ["unix_us", "1769851800007", /but is one in unix_ms$/],
  ["days:2025-01-01", "9999999", /years 0000 to 9999/],
  ["days:2025-01-01", "one", /days since 2025-01-01/],
  ["yyyy-MM-dd HH:mm:ss UTC", "2026-01-31", /written as yyyy-MM-dd HH:mm:ss UTC/],
  ["yyyy-MM-dd HH:mm:ss UTC", "2026-02-30 00:00:00", /not a time in the calendar/],
  ["yyyy-MM-dd HH:mm:ss UTC", "2026-01-31 25:00:00", /not a time in the calendar/],
  ["dd-MMM-yyyy UTC", "05-Mrz-2026", /not a time in the calendar/],
  ["h:mm a dd.MM.yyyy UTC", "13:00 pm 01.01.2026", /not a time in the calendar/],
  ["yyyy-MM-dd HH:mm VV", "2026-01-31 09:30 CST", /the zone CST, which is not a zone or stands/],
  ["yyyy-MM-dd HH:mm VV", "2026-01-31 09:30 Europe/Nowhere", /the zone Europe\/Nowhere/],
  ["yyyy-MM-dd HH:mm Europe/Berlin", "2026-03-29 02:30", /does not exist in Europe\/Berlin/],
];

const dates: readonly (readonly [format: string, text: string, date: string])[] = [
  ["dd.MM.yyyy", "31.01.2026", "2026-01-31"],
  ["yyyyMMdd", "20260131", "2026-01-31"],
  ["dd-MM-yy", "16-07-68", "1968-07-16"],
  ["dd-MM-yy", "16-07-24", "2024-07-16"],
  ["unix", "1769851800", "2026-01-31"],
  ["days:1970-01-01", "365", "1971-01-01"],
];

const wrong: readonly (readonly [format: string, message: RegExp])[] = [
  ["yyyy-MM-dd HH:mm:ss", /does not say in which zone/],
  ["yyyy-MM-dd HH:mm:ssXXX UTC", /leave out the one at its end/],
  ["yyyy-MM-dd HH:mm Europe/Nowhere", /no time zone Europe\/Nowhere/],
  ["HH:mm UTC", /must have a year/],
  ["yyyy-MM-dd hh:mm UTC", /hh and a \(am or pm\) together/],
  ["yyyy-MM-dd yyyy UTC", /yyyy twice/],
  ["QQ yyyy-MM-dd UTC", /"QQ", which stands for nothing/],
  ["yyyy-MM-dd HH:mm[:ss UTC", /bracket without its counterpart/],
  ["yyyy-MM-dd['x']['x']['x'] UTC", /more than 2 brackets/],
  ["yyyy-MM-dd HH:mm[X]", /has X in brackets/],
  ["yyyy-MM-dd ]HH:mm[ UTC", /bracket without its counterpart/],
  ["days:2025-02-30", /must name a day/],
  ["hours:1", /hours:1 must name a day/],
];

describe("the format of a time", () => {
  for (const [format, text, moment] of moments) {
    it(`${format} reads ${text} as ${moment}`, () => {
      const read = compileTimeFormat(format, "date-time")(text);
      assert.equal(read, moment);
      assert.notEqual(normaliseTimestamp(moment), undefined);
    });
  }

  for (const [format, text, date] of dates) {
    it(`${format} reads ${text} as ${date}, where the field is a date`, () => {
      assert.equal(compileTimeFormat(format, "date")(text), date);
    });
  }

  for (const [format, text, message] of fieldErrors) {
    it(`${format} refuses "${text}", and says why`, () => {
      const read = compileTimeFormat(format, "date-time")(text);
      assert.ok(read instanceof CellError);
      assert.match(read.message, message);
    });
  }

  for (const [format, message] of wrong) {
    it(`can't be ${format}, and says why`, () => {
      assert.throws(
        () => compileTimeFormat(format, "date-time"),
        (error: unknown) => error instanceof UsageError && message.test(error.message),
      );
    });
  }
});
