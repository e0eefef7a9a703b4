// Processes, and their PostgreSQL server, that are killed under load lose nothing that they
// acknowledged.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runPostgresCampaign } from "./crash-campaign.ts";

const kills = 6;

describe("three processes on one PostgreSQL server that are killed under load", () => {
  it("have every acknowledged change once, and process each deletion once", async (test) => {
    const seed = 20_261_120;
    const { findings, ...figures } = await runPostgresCampaign({
      seed,
      killsMax: kills,
      budgetMs: Infinity,
    });
    test.diagnostic(JSON.stringify(figures));
    const again = `node test/crash/postgres/campaign.ts --seed ${seed} --kills ${kills}`;
    assert.deepEqual(findings, [], again);
    assert.deepEqual([figures.processesKilled, figures.serversKilled], [4, 2]);
    assert.ok(figures.changes > 200, "there was load");
    assert.ok(figures.unanswered > 0, "requests were in flight");
  });
});
