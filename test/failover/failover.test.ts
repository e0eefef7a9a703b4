// A cluster that switches and fails over under load loses nothing that was acknowledged, and no process is restarted.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { requireNothingFound } from "../campaign/in-test.ts";
import { failover } from "./campaign.ts";
import { lacksCluster } from "./needs.ts";

describe("a PostgreSQL cluster under Patroni that fails over", { skip: lacksCluster() }, () => {
  it("has every acknowledged change once, and processes each deletion once", async (test) => {
    const run = { campaign: failover, seed: 20_261_123, count: 2, engine: "postgres" } as const;
    const figures = await requireNothingFound(test, "failover", run);
    const { kills, changes = 0, unanswered = 0, streams, imports } = figures;
    assert.deepEqual([kills, streams, imports], [run.count, run.count, run.count]);
    assert.ok(changes > 50, "there was load");
    assert.ok(unanswered > 0, "requests were in flight");
  });
});
