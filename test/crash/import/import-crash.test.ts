// An importer that is killed and started again imports each row exactly once.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CampaignRun } from "../../campaign/campaign.ts";
import { requireNothingFound } from "../../campaign/in-test.ts";
import { killImporters } from "./campaign.ts";

const kills = 2;

describe("an importer that is killed and started again", () => {
  it(`has every row in the store once, and no other, after ${kills} kills`, async (test) => {
    const campaign = { run: (run: CampaignRun) => killImporters(run, 3_000) };
    const run = { campaign, seed: 20_261_121, count: kills };
    const figures = await requireNothingFound(test, "import", run);
    assert.equal(figures["kills"], kills);
    assert.ok((figures["changes"] ?? 0) > 1_000);
  });
});
