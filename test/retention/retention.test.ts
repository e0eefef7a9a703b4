// A short run of the campaign over random graphs, and that it notices a store that erases early.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runRetentionCampaign } from "./retention-campaign.ts";

describe("random graphs with retention floors", () => {
  it("lose nothing early, and keep nothing after the last floor", async () => {
    const campaign = { seed: 1, graphsMax: 150, budgetMs: Infinity };
    const { graphs, deletions, waited, closed, restricted } = await runRetentionCampaign(campaign);
    assert.equal(graphs, 150);
    assert.ok(closed > 10, `${closed}`);
    assert.ok(restricted > 20, `${restricted}`);
    assert.ok(waited > 50 && deletions > 2 * waited, `${waited} of ${deletions} waited`);
  });
});
