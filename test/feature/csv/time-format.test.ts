// Times in files, and their values; a time that matches no format or no calendar is an error and never guessed. Numbers
// in the formats of other systems, and their values; what could be two numbers is refused. Offsets of time zones at
// local times: when clocks change, and the same from the runtime's Temporal and the polyfill.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { UsageError } from "../../../src/actions/operator/operator-error.ts";
import { CellError } from "../../../src/feature/csv/csv-cell.ts";
import { compileTimeFormat } from "../../../src/feature/csv/time-format.ts";
import { normaliseTimestamp } from "../../../src/domain/timestamp.ts";
import { compileNumberFormat } from "../../../src/feature/csv/number-format.ts";
import { offsetIn } from "../../../src/feature/csv/time-zone.ts";

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
  ["days:1899-12-30 Europe/Berlin", "46234.395833333336", "2026-07-31T09:30:00+02:00"],
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
  ["d. MMMM yyyy UTC", "5. Mrz 2026", "2026-03-05T00:00:00Z"],
  ["EEE, dd MMM yyyy HH:mm:ss XX", "Sat, 31 Jan 2026 09:30:00 +0100", "2026-01-31T09:30:00+01:00"],
  ["M/d/yy h:mm a VV", "1/5/26 9:30 PM GMT-8", "2026-01-05T21:30:00-08:00"],
  ["M/d/yy h:mm a VV", "7/5/26 9:30 PM Pacific Time (US & Canada)", "2026-07-05T21:30:00-07:00"],
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
  ["yyyy-MM-dd HH:mm:ss UTC", "2026-01-31", /written as yyyy-MM-dd HH:mm:ss UTC, not "2026-01-31"/],
  ["yyyy-MM-dd HH:mm:ss UTC", "2026-02-30 00:00:00", /not a time in the calendar/],
  ["yyyy-MM-dd HH:mm:ss UTC", "2026-01-31 25:00:00", /not a time in the calendar/],
  ["dd-MMM-yyyy UTC", "05-Xyz-2026", /not a time in the calendar/],
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
  ["days:2025-01-01 Europe/Nowhere", /no time zone Europe\/Nowhere/],
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

const numbers: readonly (readonly [format: string, text: string, value: number | undefined])[] = [
  ["point", "1234.5", 1234.5],
  ["point", "1,234,567.89", 1_234_567.89],
  ["point", "1'234.50", 1234.5],
  ["point", "US$ 12.5", 12.5],
  ["point", "-£12", -12],
  ["point", "$-12", -12],
  ["point", "(1,234.5)", -1234.5],
  ["point", "-.5", -0.5],
  ["point", "+12 EUR", 12],
  ["comma", "1.234,56", 1234.56],
  ["comma", "1 234,56", 1234.56],
  ["comma", "1\u202f234,56\u00a0€", 1234.56],
  ["comma", "12,5-", -12.5],
  ["comma", "\u221212,5", -12.5],
  ["comma", "EUR 0,07", 0.07],
  ["comma", "12,50 zł", 12.5],
  ["comma", "-", undefined],
  ["point", "(null)", undefined],
  ["point", "NaN", undefined],
  ["minor:=GBP", "1390", 13.9],
  ["minor:=JPY", "1390", 1390],
  ["minor:=KWD", "-12345", -12.345],
  ["minor:=EUR", "7", 0.07],
  ["minor:=HUF", "139000", 1390],
  ["minor:=IQD", "1390", 1.39],
  ["minor:=UYW", "1390", 0.139],
  ["minor:=ITL", "1390", 1390],
];

const wrongNumbers: readonly (readonly [format: string, text: string, message: RegExp])[] = [
  ["point", "12,5", /written as 1,234.56, not "12,5"/],
  ["point", "1.234,56", /written as 1,234.56/],
  ["comma", "12.50", /written as 1.234,56/],
  ["comma", "1.234 567,00", /written as/],
  ["point", "1.23457E+15", /written as/],
  ["point", "--5", /written as/],
  ["point", "(5", /written as/],
  ["point", "-5-", /written as/],
  ["point", "5 apples", /written as/],
  ["point", ".", /written as/],
  ["point", "9007199254740993", /./],
  ["minor:=EUR", "13.90", /whole number of minor units/],
  ["comma", "0.125", /written as 1\.234,56, not "0\.125"/],
  ["comma", "-012.500", /written as 1\.234,56/],
  ["comma", "0.001,5", /written as 1\.234,56/],
  ["point", "0,125", /written as 1,234\.56/],
  ["point", "0 125 €", /written as 1,234\.56/],
];

describe("the format of a number", () => {
  for (const [format, text, value] of numbers) {
    it(`${format} reads ${text} as ${value}`, () => {
      assert.equal(compileNumberFormat(format).read(text, ""), value);
    });
  }

  for (const [format, text, message] of wrongNumbers) {
    it(`${format} refuses ${text}, and says why`, () => {
      const found = compileNumberFormat(format).read(text, "");
      assert.ok(found instanceof CellError);
      assert.match(found.message, message);
    });
  }

  it("takes the digits of minor units from the currency of the row", () => {
    const { read, currencyColumn } = compileNumberFormat("minor:ccy");
    assert.equal(currencyColumn, "ccy");
    assert.deepEqual([read("1390", "jpy"), read("1390", "EUR")], [1390, 13.9]);
    assert.match((read("1", "XYZ") as CellError).message, /"XYZ" is not one/);
  });

  for (const format of ["dot", "minor:", "minor:=XYZ", "minor:=XDR"]) {
    it(`can't be ${format}`, () => assert.throws(() => compileNumberFormat(format), UsageError));
  }
});

type Case = readonly [zone: string, local: string, offset: string | undefined];

const cases: readonly Case[] = [
  ["Europe/Berlin", "2026-01-31T09:30:00", "+01:00"],
  ["Europe/Berlin", "2026-07-31T09:30:00", "+02:00"],
  // Forward: from 02:00 to 03:00.
  ["Europe/Berlin", "2026-03-29T01:59:59", "+01:00"],
  ["Europe/Berlin", "2026-03-29T02:00:00", undefined],
  ["Europe/Berlin", "2026-03-29T02:59:59", undefined],
  ["Europe/Berlin", "2026-03-29T03:00:00", "+02:00"],
  // Back: from 03:00 to 02:00.
  ["Europe/Berlin", "2026-10-25T01:59:59", "+02:00"],
  ["Europe/Berlin", "2026-10-25T02:00:00", "+02:00"],
  ["Europe/Berlin", "2026-10-25T02:59:59", "+02:00"],
  ["Europe/Berlin", "2026-10-25T03:00:00", "+01:00"],
  // By half an hour.
  ["Australia/Lord_Howe", "2026-10-04T02:15:00", undefined],
  ["Australia/Lord_Howe", "2026-10-04T02:30:00", "+11:00"],
  ["Australia/Lord_Howe", "2026-04-05T01:45:00", "+11:00"],
  // At midnight, so that a day begins at 01:00, or the previous day has an hour twice.
  ["Asia/Beirut", "2026-03-29T00:30:00", undefined],
  ["Asia/Beirut", "2026-03-29T01:00:00", "+03:00"],
  ["Asia/Beirut", "2026-10-24T23:30:00", "+03:00"],
  ["Asia/Beirut", "2026-10-25T00:00:00", "+02:00"],
  // From 23:00 to midnight, so that the last hour of the day is skipped.
  ["America/Godthab", "2024-03-30T23:30:00", undefined],
  ["America/Godthab", "2024-03-31T00:00:00", "-01:00"],
  // At one minute past midnight.
  ["America/Goose_Bay", "1990-04-01T00:00:59", "-04:00"],
  ["America/Goose_Bay", "1990-04-01T00:01:00", undefined],
  ["America/Goose_Bay", "1990-04-01T01:01:00", "-03:00"],
  // A day that was skipped.
  ["Pacific/Apia", "2011-12-29T23:59:59", "-10:00"],
  ["Pacific/Apia", "2011-12-30T12:00:00", undefined],
  ["Pacific/Apia", "2011-12-31T00:00:00", "+14:00"],
];

describe("the offset of a time zone", () => {
  for (const [zone, local, offset] of cases) {
    it(`in ${zone} at ${local} is ${offset ?? "undefined: the time does not exist"}`, () => {
      assert.equal(offsetIn(zone, local), offset);
    });
  }

  it("is the same on a Node without its own Temporal", () => {
    const module = join(import.meta.dirname, "../../../src/feature/csv/time-zone.ts");
    const script =
      `const { offsetIn } = await import(${JSON.stringify(module)});` +
      'const offsets = JSON.parse(process.argv[1]).map(([zone, local]) => offsetIn(zone, local) ?? "none");' +
      "process.stdout.write(JSON.stringify([typeof Temporal, ...offsets]));";
    const words = ["--no-harmony-temporal", "--input-type=module", "-e", script];
    const out = execFileSync(process.execPath, [...words, JSON.stringify(cases)], {
      encoding: "utf8",
    });
    assert.deepEqual(JSON.parse(out), [
      "undefined",
      ...cases.map(([, , offset]) => offset ?? "none"),
    ]);
  });
});
