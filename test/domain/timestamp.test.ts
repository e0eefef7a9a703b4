// RFC 3339 timestamps: which are accepted, how they are normalised, and that their order as text is
// their order in time.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import {
  formatTimestamp,
  isFullDate,
  latestTimestamp,
  normaliseTimestamp,
} from "../../src/domain/timestamp.ts";

describe("a normalised timestamp", () => {
  it("is the instant in UTC, at the precision it was sent with", () => {
    for (const [sent, normalised] of [
      ["2026-01-31T09:30:00Z", "2026-01-31T09:30:00"],
      ["2026-01-31t09:30:00z", "2026-01-31T09:30:00"],
      ["2026-01-31T09:30:00+00:00", "2026-01-31T09:30:00"],
      ["2026-01-31T09:30:00-00:00", "2026-01-31T09:30:00"],
      ["2026-01-31T09:30:00.000Z", "2026-01-31T09:30:00"],
      ["2026-01-31T09:30:00.120Z", "2026-01-31T09:30:00.12"],
      ["2026-01-31T09:30:00.12345678901234567890Z", "2026-01-31T09:30:00.1234567890123456789"],
      ["2026-01-31T09:30:00.0000000000000000001+01:00", "2026-01-31T08:30:00.0000000000000000001"],
      ["2026-01-31T09:30:00+05:45", "2026-01-31T03:45:00"],
      ["2026-01-31T09:30:00-09:30", "2026-01-31T19:00:00"],
      ["2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00"],
      ["2025-12-31T23:30:00-01:00", "2026-01-01T00:30:00"],
      ["2024-03-01T00:00:00+00:01", "2024-02-29T23:59:00"],
      ["2023-03-01T00:00:00+23:59", "2023-02-28T00:01:00"],
      ["2024-02-29T12:00:00Z", "2024-02-29T12:00:00"],
      ["2000-02-29T12:00:00Z", "2000-02-29T12:00:00"],
      ["0000-02-29T00:00:00Z", "0000-02-29T00:00:00"],
      ["0000-01-01T00:00:00Z", "0000-01-01T00:00:00"],
      ["0001-01-01T00:00:00+00:01", "0000-12-31T23:59:00"],
      ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999"],
      ["2016-12-31T23:59:60Z", "2016-12-31T23:59:60"],
      ["2016-12-31T23:59:60.5Z", "2016-12-31T23:59:60.5"],
      ["2017-01-01T00:59:60+01:00", "2016-12-31T23:59:60"],
      ["1990-12-31T15:59:60-08:00", "1990-12-31T23:59:60"],
    ] as const) {
      assert.equal(normaliseTimestamp(sent), normalised, sent);
    }
  });

  it("is undefined for text that is not an RFC 3339 date-time with offset", () => {
    const texts = `
      2026-01-31 2026-01-31T09:30:00 2026-01-31T09:30Z 2026-1-31T09:30:00Z 26-01-31T09:30:00Z 12026-01-31T09:30:00Z
      -2026-01-31T09:30:00Z +002026-01-31T09:30:00Z 2026-01-31T24:00:00Z 2026-01-31T09:60:00Z 2026-01-31T09:30:61Z
      2026-01-31T09:30:60Z 2016-12-31T23:59:60+01:00 2026-01-31T09:30:00.Z 2026-01-31T09:30:00,5Z
      2026-01-31T09:30:00+24:00 2026-01-31T09:30:00+01:60 2026-01-31T09:30:00+0100 2026-01-31T09:30:00+01
      2026-01-31T09:30:00UTC 2026-00-31T09:30:00Z 2026-13-31T09:30:00Z 2026-01-00T09:30:00Z 2026-01-32T09:30:00Z
      2026-04-31T09:30:00Z 2026-02-29T09:30:00Z 1900-02-29T09:30:00Z 0000-01-01T00:00:00+00:01
      9999-12-31T23:59:59-00:01 ٢٠٢٦-01-31T09:30:00Z 1769851800`;
    for (const sent of [
      "",
      ...texts.trim().split(/\s+/),
      "2026-01-31 09:30:00Z",
      `2026-01-31T09:30:00.${"1".repeat(65)}Z`,
      "2026-01-31T09:30:00 +01:00",
      "2026-01-31T09:30:00Z ",
      " 2026-01-31T09:30:00Z",
      "2026-01-31T09:30:00Z\n",
    ]) {
      assert.equal(normaliseTimestamp(sent), undefined, sent);
    }
  });

  it("is formatted as RFC 3339, which parses to the same", () => {
    const normalised = normaliseTimestamp("2026-01-31T10:30:00.50+01:00") ?? "";
    assert.equal(formatTimestamp(normalised), "2026-01-31T09:30:00.5Z");
    assert.equal(normaliseTimestamp(formatTimestamp(normalised)), normalised);
  });

  it("sorts around a leap second and by fractions of any length", () => {
    const inOrder = [
      "2016-12-31T23:59:59Z",
      "2016-12-31T23:59:59.999999999999Z",
      "2016-12-31T23:59:60Z",
      "2016-12-31T23:59:60.1Z",
      "2017-01-01T00:00:00Z",
      "2017-01-01T00:00:00.00000000000000000001Z",
      "2017-01-01T00:00:00.0001Z",
      "2017-01-01T00:00:00.01Z",
      "2017-01-01T00:00:00.1Z",
    ].map((sent) => normaliseTimestamp(sent) ?? "none");
    assert.deepEqual(inOrder.toSorted(), inOrder);
    assert.equal(new Set(inOrder).size, inOrder.length);
  });

  const milliseconds = fc.integer({
    min: Date.parse("0000-01-03T00:00:00Z"),
    max: Date.parse("9999-12-29T00:00:00Z"),
  });
  const sent = fc.tuple(milliseconds, fc.integer({ min: -1439, max: 1439 }));

  it("agrees with the calendar, for any instant and any offset", () => {
    fc.assert(
      fc.property(sent, ([instant, offset]) => {
        const normalised = normaliseTimestamp(withOffset(instant, offset)) ?? "";
        assert.equal(Date.parse(formatTimestamp(normalised)), instant);
      }),
    );
  });

  it("is the same, or as invalid, whether the offset is Z or zero", () => {
    const [two, four] = [2, 4].map((digits) =>
      fc.nat(10 ** digits - 1).map((number) => `${number}`.padStart(digits, "0")),
    );
    assert.ok(two && four);
    const inRange = fc.constantFrom("00", "01", "12", "23", "24", "28", "31", "32", "59", "60");
    const part = fc.oneof(two, inRange);
    const fraction = fc.stringMatching(/^(\.[0-9]{0,66})?$/);
    const digits = fc.tuple(four, part, part, part, part, part, fraction);
    fc.assert(
      fc.property(digits, ([year, month, day, hour, minute, second, after]) => {
        const local = `${year}-${month}-${day}T${hour}:${minute}:${second}${after}`;
        assert.equal(normaliseTimestamp(`${local}Z`), normaliseTimestamp(`${local}+00:00`));
      }),
      { numRuns: 2_000 },
    );
  });

  it("sorts as text in the order of time", () => {
    const near = fc.tuple(milliseconds, fc.integer({ min: -2000, max: 2000 }));
    fc.assert(
      fc.property(near, fc.nat(1439), fc.nat(1439), ([instant, step], offset, otherOffset) => {
        const one = normaliseTimestamp(withOffset(instant, offset)) ?? "";
        const other = normaliseTimestamp(withOffset(instant + step, -otherOffset)) ?? "";
        assert.equal(one < other, step > 0);
        assert.equal(one === other, step === 0);
      }),
    );
  });
});

/** The instant as a clock shows it that many minutes ahead of UTC. */
function withOffset(instant: number, minutes: number): string {
  const sign = minutes < 0 ? "-" : "+";
  const [hour, minute] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const local = new Date(instant + minutes * 60_000).toISOString().slice(0, -1);
  return `${local}${sign}${`${hour}`.padStart(2, "0")}:${`${minute}`.padStart(2, "0")}`;
}

describe("the latest timestamp that may be sent", () => {
  it("is 366 days ahead of the clock, to the second", () => {
    assert.equal(latestTimestamp(Date.UTC(2026, 0, 1)), "2027-01-02T00:00:00");
    assert.equal(latestTimestamp(Date.UTC(2026, 0, 1) + 1_999), "2027-01-02T00:00:01");
  });
});

describe("a full date", () => {
  it("is a day of the calendar", () => {
    for (const day of ["2026-01-31", "2024-02-29", "0000-01-01", "9999-12-31"]) {
      assert.equal(isFullDate(day), true, day);
    }
    for (const day of [
      "2026-02-29",
      "2026-1-31",
      "2026-01-31T00:00:00Z",
      "31.01.2026",
      "2026-01-31\n",
      "",
    ]) {
      assert.equal(isFullDate(day), false, day);
    }
  });
});
