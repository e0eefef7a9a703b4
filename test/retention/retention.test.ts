// A short run of the campaign over random graphs.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { requireNothingFound } from "../campaign/in-test.ts";
import { retention } from "./campaign.ts";

describe("random graphs with retention floors", () => {
  it("lose nothing early, and keep nothing after the last floor", async (test) => {
    const run = { campaign: retention, seed: 1, count: 60 };
    const { graphs, deletions, waited, expired, closed, restricted, left } =
      await requireNothingFound(test, "retention", run);
    assert.equal(graphs, run.count);
    assert.ok(closed > 4, `${closed}`);
    assert.ok(expired > 40, `${expired}`);
    assert.ok(left > 0 && left < graphs / 5, `${left} graphs were left`);
    assert.ok(restricted > 8, `${restricted}`);
    assert.ok(waited > 20 && deletions > 2 * waited, `${waited} of ${deletions} waited`);
  });
});
