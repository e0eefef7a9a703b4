// When requests of data subjects have to be answered.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { answerDates } from "../../../src/feature/subject/pages.ts";

const dates = (received: string) => {
  const { due, extended } = answerDates(Date.parse(received));
  return [due, extended].map((time) => new Date(time).toISOString());
};

describe("the time to answer a request", () => {
  it("ends with the same day one month later, or three", () => {
    assert.deepEqual(dates("2026-11-23T10:00:00Z"), [
      "2026-12-23T23:59:59.999Z",
      "2027-02-23T23:59:59.999Z",
    ]);
  });

  it("ends with the last day of a month that has no such day", () => {
    assert.deepEqual(dates("2027-01-31"), ["2027-02-28T23:59:59.999Z", "2027-04-30T23:59:59.999Z"]);
    assert.deepEqual(dates("2028-01-31")[0], "2028-02-29T23:59:59.999Z");
  });
});
