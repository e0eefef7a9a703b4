// How far ahead the end of a hold may be.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { latestEnd } from "../../../src/domain/retention/hold-end.ts";

describe("the latest end of a hold", () => {
  for (const [today, latest] of [
    ["2026-03-01", "2031-03-01"],
    ["2026-12-31", "2031-12-31"],
    ["2027-02-28", "2032-02-28"],
    // No period may end later than that of its month: article 3 (2) (c) of Regulation (EEC, Euratom) 1182/71.
    ["2028-02-29", "2033-02-28"],
  ] as const) {
    it(`is ${latest} on ${today}`, () => {
      assert.equal(latestEnd(Date.parse(`${today}T00:00:00Z`)), latest);
      assert.equal(latestEnd(Date.parse(`${today}T23:59:59.999Z`)), latest);
    });
  }
});
