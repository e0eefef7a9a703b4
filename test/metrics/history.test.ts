// The history of the intake: what each minute counts, and what does not count as a refusal.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startHistory } from "../../src/metrics/history.ts";

const minuteMs = 60_000;

describe("the history of the intake", () => {
  it("counts in each minute what has arrived since the one before, for a day", (test) => {
    test.mock.timers.enable({ apis: ["setInterval"] });
    let written = 5;
    const read = () => ({
      records: [{ labels: { resource_type: "person" }, value: written }],
      requests: [],
      buckets: [1],
    });
    const none = new Set<string>();
    const options = { now: () => 0, operations: none, existenceChecks: none };
    const history = startHistory(read, options);
    const counts = () => history.read().minutes.map(({ records }) => records["person"] ?? 0);
    written += 3;
    test.mock.timers.tick(minuteMs);
    written += 4;
    assert.deepEqual(counts(), [3, 4]);
    test.mock.timers.tick(minuteMs);
    assert.deepEqual(counts(), [3, 4, 0]);
    test.mock.timers.tick(24 * 60 * minuteMs);
    assert.equal(counts().length, 24 * 60);
    history.stop();
  });
});
