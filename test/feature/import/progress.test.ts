// The progress of an import or an export: lines without a terminal, one that changes on a terminal, and
// nothing with JSON.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeStep, makeBulkProgress } from "../../../src/cli/output/bulk-progress.ts";
import { makeStore } from "../../support/round-trip.ts";
import { importing, put } from "./importing.ts";

function makeScreen() {
  const lines: string[] = [];
  let now = 0;
  return {
    lines,
    nowMs: () => now,
    advanceMs: (ms: number) => void (now += ms),
    output: { write: (text: string) => void lines.push(text) },
  };
}

describe("progress without a terminal", () => {
  it("is a plain line every five seconds, with rows, rate and the remaining time", () => {
    const { lines, nowMs, advanceMs, output } = makeScreen();
    const progress = makeBulkProgress(output, { json: false, name: "tx.csv", nowMs });
    for (let second = 1; second <= 12; second += 1) {
      advanceMs(1_000);
      progress.show({ rows: second * 1_000, share: second / 20, note: "3 refused" });
    }
    progress.close();
    assert.deepEqual(lines, [
      "tx.csv: 25%  5,000 rows  1,000 rows/s  15 s left  3 refused\n",
      "tx.csv: 50%  10,000 rows  1,000 rows/s  10 s left  3 refused\n",
    ]);
  });

  it("is one line in a terminal, no longer than it, and gone at the end", () => {
    const { lines, nowMs, advanceMs, output } = makeScreen();
    const terminal = { ...output, isTTY: true, columns: 20 };
    const progress = makeBulkProgress(terminal, { json: false, name: "tx.csv", nowMs });
    for (const rows of [1_000, 2_000]) {
      progress.show({ rows, share: 0.25, note: "" });
      advanceMs(60);
    }
    progress.close();
    assert.deepEqual(lines, ["\r\u001b[Ktx.csv: 25%  1,000 ", "\r\u001b[K"]);
  });
});

describe("a step of a progress", () => {
  it("omits an unknown share and an unknown end", () => {
    const step = { rows: 1_234, share: undefined, note: "" };
    const before = undefined;
    assert.equal(describeStep(step, { before, seconds: 2 }), "1,234 rows  617 rows/s");
    const unmoved = { rows: 0, share: 0, note: "" };
    assert.equal(describeStep(unmoved, { before, seconds: 0 }), "0%  0 rows  0 rows/s");
  });
});

describe("an import without a terminal", () => {
  it("prints a readable table, without control characters", async () => {
    const line = await makeStore();
    const rows = ["1,band,LOW,2026-01-01T00:00:00Z", "2,band,LOW,never"];
    const file = put(line, "risks.csv", ["assessment_id,type,outcome,timestamp", ...rows]);
    const { code, out, err } = await line.type(...importing(file, "risk_assessment"));
    assert.equal(err, "");
    assert.equal(code, 3);
    assert.match(out, /^[\n\u0020-\u007e]+$/);
    assert.match(out, /^file +rows +written +unchanged +refused +rows\/s\n/);
    assert.match(out, /risks\.csv +2 +1 +0 +1 +\d/);
    assert.match(out, /1 refused row is in .*risks\.refused\.csv, with the reason\. Correct/);
  });
});
