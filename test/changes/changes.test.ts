// Servers and consumers of the feed that are killed under load: every consumer has every change once and in order.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { requireNothingFound } from "../campaign/in-test.ts";
import { engines } from "../campaign/campaign.ts";
import { changes } from "./run-store.ts";

for (const engine of engines) {
  describe(`consumers of the feed on ${engine}`, () => {
    it("have every change once and in order, whatever is killed", async (test) => {
      const run = { campaign: changes, engine, seed: 20_261_201, count: 3 };
      const amounts = { changes: 600, writers: 4 };
      const figures = await requireNothingFound(test, "changes", { ...run, amounts });
      const { kills = 0, changes: compared = 0, serverKills, consumerKills } = figures;
      assert.ok(kills >= run.count && compared >= amounts.changes, "there was load");
      assert.ok(serverKills !== undefined && consumerKills !== undefined, "both were killed");
    });
  });
}
