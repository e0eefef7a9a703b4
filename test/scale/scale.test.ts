// A short comparison of a store of many records with one of few, and its verdict on planted figures. `npm run campaign
// -- scale` compares with millions, on either engine.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { requireNothingFound } from "../campaign/in-test.ts";
import { type Cost, evaluateScale, scale } from "./campaign.ts";

function costs(cost: Partial<Cost>): ReadonlyMap<string, Cost> {
  return new Map([["scrape", { cpuMs: 10, statements: 5, pages: 50, ...cost }]]);
}

describe("the verdict on what grows with a store", () => {
  for (const grown of [{ cpuMs: 100 }, { statements: 50 }, { pages: 10_000 }]) {
    it(`finds what takes more ${Object.keys(grown).join()}`, () => {
      const { findings } = evaluateScale(costs({}), costs(grown));
      assert.match(findings.join(), /^grows: scrape: /);
    });
  }

  it("finds nothing in what a busy machine adds", () => {
    assert.deepEqual(
      evaluateScale(costs({}), costs({ cpuMs: 30, statements: 7, pages: 90 })).findings,
      [],
    );
  });
});

describe("a store of many records", () => {
  it("takes no more for rounds, scrapes, pages, commands and requests than one of few", async (test) => {
    const run = { campaign: scale, seed: 1, count: 3, amounts: { records: 20_000 } };
    const { measured } = await requireNothingFound(test, "scale", run);
    assert.ok(measured > 50, `${measured}`);
  });
});
