// A server that is killed under load, repeatedly, loses nothing that it acknowledged.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runCrashCampaign } from "./crash-campaign.ts";

const kills = 8;

describe("a server that is killed under load", () => {
  it(`has every acknowledged change once, and no other, after each of ${kills} restarts`, async (test) => {
    const seed = 20_261_101;
    const { findings, ...figures } = await runCrashCampaign({
      seed,
      killsMax: kills,
      budgetMs: Infinity,
    });
    test.diagnostic(JSON.stringify(figures));
    assert.deepEqual(findings, [], `npm run campaign -- crash --seed ${seed} --count ${kills}`);
    assert.equal(figures.kills, kills);
    assert.ok(figures.changes > 1_000 && figures.deletions > 10, "there was load");
    assert.ok(figures.unanswered > 0, "requests were in flight");
    assert.ok(figures.commands > 0, "commands were run beside the server");
  });
});
