// A process that is killed at some of the points of its deletions; the campaign kills it at all of them.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { requireNothingFound } from "../campaign/in-test.ts";
import { crashDeletion } from "./campaign.ts";

const seed = 20_261_123;

describe("a process that is killed while it processes a deletion", () => {
  for (const [engine, count] of [
    ["sqlite", 5],
    ["postgres", 2],
  ] as const) {
    it(`leaves it to the next one to complete it once, with a receipt, on ${engine}`, async (test) => {
      const run = { campaign: crashDeletion, seed, count, engine };
      const { points, kills } = await requireNothingFound(test, "deletion", run);
      assert.ok(points >= 18, `${points}`);
      assert.equal(kills, count);
    });
  }
});
