// The timing campaign measures reports that are kept, and finds a difference only where its control has none.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shortRun } from "../campaign/in-test.ts";
import type { RankStatistic } from "./rank-statistic.ts";
import { isFinding, measureTiming } from "./timing.ts";

function chanceOf(p: number): RankStatistic {
  return { superiority: 0.5, deviations: 0, p };
}

describe("the timing campaign", () => {
  it("finds an effect that chance does not explain, and the control does not have", () => {
    assert.ok(isFinding({ control: chanceOf(0.3), effect: chanceOf(1e-5) }));
    assert.ok(!isFinding({ control: chanceOf(1e-5), effect: chanceOf(1e-5) }));
    assert.ok(!isFinding({ control: chanceOf(0.3), effect: chanceOf(0.01) }));
  });

  it("measures as many persons with a kept report as without, in both series", async () => {
    const { pairs, ...compared } = await measureTiming(shortRun({ seed: 1, count: 2 }));
    assert.equal(pairs, 2);
    assert.deepEqual(Object.keys(compared), ["completion", "reply"]);
    for (const { medianMs, control, effect } of Object.values(compared)) {
      assert.ok(medianMs > 0);
      for (const { p } of [control, effect]) assert.ok(p > 0 && p <= 1 + 1e-9, `${p}`);
    }
  });
});
