// The bounds of timestamps and of dates: what can't be a business time, and why it probably was sent.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { typeNamed as named } from "../../conformance/scene.ts";
import { validatePayload } from "../../../src/domain/validation/validate.ts";

describe("a timestamp", () => {
  const now = Date.parse("2026-03-01T12:00:00.500Z");
  const transaction = named("transaction");
  const errorsAt = (timestamp: string, at?: number) =>
    validatePayload(transaction, "add", { ...transaction.example, timestamp }, { now: at });

  it("can be 366 days in the future, and no second more", () => {
    for (const within of [
      "2027-03-02T12:00:00Z",
      "2027-03-02T14:00:00.000+02:00",
      "1980-01-01T00:00:00Z",
    ]) {
      assert.deepEqual(errorsAt(within, now), []);
    }
    for (const beyond of [
      "2027-03-02T12:00:01Z",
      "2027-03-02T11:00:00-02:00",
      "2999-01-01T00:00:00Z",
    ]) {
      assert.deepEqual(errorsAt(beyond, now), [
        {
          field: "timestamp",
          message:
            "must be at most 366 days in the future; check its year and the clock it comes from",
        },
      ]);
    }
  });

  for (const [timestamp, cause] of [
    ["0001-01-01T00:00:00Z", /the unset time of Go and \.NET/],
    ["0001-01-01T00:00:00+01:00", /the unset time of Go and \.NET/],
    ["1970-01-01T00:00:00Z", /0, or seconds that are read as milliseconds/],
    ["1970-01-21T11:43:05.4Z", /0, or seconds that are read as milliseconds/],
    ["1969-12-31T23:59:59Z", /0 or -1 as a Unix time/],
    ["1899-12-30T00:00:00Z", /the blank day of a spreadsheet/],
    ["1979-12-31T23:59:59.9Z", /check its year/],
  ] as const) {
    it(`is not before 1980, such as ${timestamp}, with the likely cause`, () => {
      const [{ field = "", message = "" } = {}, ...others] = errorsAt(timestamp, now);
      assert.deepEqual([field, others], ["timestamp", []]);
      assert.match(message, /^must not be before 1980-01-01 \(TIMESTAMP_MIN\); /);
      assert.match(message, cause);
      const payload = { ...transaction.example, timestamp };
      const earlier = { now, timestampMin: "0001-01-01" };
      const isBefore = timestamp.endsWith("+01:00");
      assert.equal(validatePayload(transaction, "add", payload, earlier).length, isBefore ? 1 : 0);
    });
  }

  it("of a filing, from which retention counts, is not before 1980 either, and can be any later", () => {
    const report = named("transaction_suspicious_activity");
    const filedAt = (report_filed_at: string) =>
      validatePayload(report, "add", { ...report.example, report_filed_at }, { now });
    const [{ field = "", message = "" } = {}] = filedAt("0001-01-01T00:00:00Z");
    assert.equal(field, "report_filed_at");
    assert.match(message, /the unset time of Go and \.NET/);
    for (const time of ["1980-01-01T00:00:00Z", "2999-01-01T00:00:00Z"]) {
      assert.deepEqual(filedAt(time), []);
    }
  });

  it("of birth and of incorporation can be any in the past, and none in the future", () => {
    for (const [type, field] of [
      ["person", "date_of_birth"],
      ["company", "incorporation_date"],
    ] as const) {
      const { example } = named(type);
      const errorsOn = (date: string) =>
        validatePayload(named(type), "add", { ...example, [field]: date }, { now });
      for (const past of ["1868-07-16", "2026-03-02"]) assert.deepEqual(errorsOn(past), []);
      for (const future of ["2026-03-03", "2068-07-16", "9999-12-31"]) {
        const [{ field: found, message = "" } = {}] = errorsOn(future);
        assert.equal(found, field);
        assert.match(message, /must not be in the future; check its year/);
      }
    }
  });

  it("can be any time where no current time is given, as for a state that is read", () => {
    assert.deepEqual(errorsAt("2999-01-01T00:00:00Z"), []);
  });

  it("is bounded in updates too, along with other errors", () => {
    const update = { tx_id: "t", amount: "x", timestamp: "2999-01-01T00:00:00Z" };
    const errors = validatePayload(transaction, "update", update, { now });
    assert.deepEqual(
      errors.map(({ field }) => field),
      ["amount", "timestamp"],
    );
  });
});
