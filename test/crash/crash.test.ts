// Processes that are killed under load, and on PostgreSQL their server too, lose nothing that they acknowledged.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { requireNothingFound } from "../campaign/in-test.ts";
import { crash } from "./crash-campaign.ts";

describe("a server that is killed under load", () => {
  it("has every acknowledged change once, and no other, after each restart", async (test) => {
    const run = { campaign: crash, seed: 20_261_101, count: 3 };
    const figures = await requireNothingFound(test, "crash", run);
    const { kills, changes = 0, deletions = 0, unanswered = 0 } = figures;
    assert.equal(kills, run.count);
    assert.ok(changes > 100 && deletions > 1, "there was load");
    assert.ok(unanswered > 0, "requests were in flight");
  });
});

describe("three processes on one PostgreSQL server that are killed under load", () => {
  it("have every acknowledged change once, and process each deletion once", async (test) => {
    const run = { campaign: crash, seed: 20_261_120, count: 2, engine: "postgres" } as const;
    const figures = await requireNothingFound(test, "crash", run);
    const { processesKilled, serversKilled, changes = 0, unanswered = 0 } = figures;
    assert.deepEqual([processesKilled, serversKilled], [1, 1]);
    assert.ok(changes > 50, "there was load");
    assert.ok(unanswered > 0, "requests were in flight");
  });
});
