// One run for all concurrent callers.

import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { coalesce } from "../../src/http/coalesce.ts";

describe("a coalesced function", () => {
  it("runs once for all who call while it runs, and again for later callers", async () => {
    let runs = 0;
    const gate = Promise.withResolvers<void>();
    const ask = coalesce(async () => {
      runs += 1;
      await gate.promise;
      return runs;
    });
    const asked = [ask(), ask(), ask()];
    gate.resolve();
    assert.deepEqual(await Promise.all(asked), [1, 1, 1]);
    assert.equal(await ask(), 2);
  });

  it("reports a failure to all, and does not cache it", async () => {
    let runs = 0;
    const ask = coalesce(async () => {
      runs += 1;
      if (runs === 1) throw new Error("once");
      return "fine";
    });
    const results = await Promise.allSettled([ask(), ask()]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ["rejected", "rejected"],
    );
    assert.equal(await ask(), "fine");
  });

  it("pauses after a run for a multiple of its duration", async () => {
    let now = 1_000;
    const clock = mock.method(performance, "now", () => now);
    try {
      const starts: number[] = [];
      const ask = coalesce(
        async () => {
          starts.push(now);
          now += 10;
        },
        { pauseFactor: 4 },
      );
      await ask();
      const waiting = ask();
      assert.deepEqual(starts, [1_000]);
      now += 100;
      await waiting;
      assert.equal(starts.length, 2);
      now += 100;
      const third = ask();
      assert.equal(starts.length, 3, "there is nothing to wait for");
      await third;
    } finally {
      clock.mock.restore();
    }
  });
});
