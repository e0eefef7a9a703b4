// The progress of a move: lines for each of its phases without a terminal, and its position when it ends.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeMoveProgress } from "../../../src/feature/move/commands.ts";
import type { MoveStep } from "../../../src/feature/move/store/copy.ts";

function makeProgress({ json = false } = {}) {
  const lines: string[] = [];
  let now = 0;
  const err = { write: (text: string) => void lines.push(text) };
  const progress = makeMoveProgress({ err, json }, () => now);
  return {
    lines,
    progress,
    show: (phase: MoveStep["phase"], rows: number, allRows?: number): void => {
      progress.show({ phase, rows, allRows, table: "change" });
      now += 5_000;
    },
  };
}

describe("the progress of a move", () => {
  it("is reported phase by phase", () => {
    const { lines, show } = makeProgress();
    show("copy", 100);
    show("copy", 10_000);
    show("verify", 1_000, 10_000);
    show("verify", 10_000, 10_000);
    assert.deepEqual(lines, [
      "copying: 10,000 rows  2,000 rows/s  change\n",
      "verifying: 100%  10,000 rows  2,000 rows/s  0 s left  change\n",
    ]);
  });

  it("reports its position when it ends early", () => {
    const { progress, show } = makeProgress();
    show("copy", 7_500);
    assert.match(progress.describe(), /^7,500 rows were copied\. Empty the database before/);
  });

  it("is omitted with JSON", () => {
    const { lines, show } = makeProgress({ json: true });
    show("copy", 100);
    show("copy", 10_000);
    assert.deepEqual(lines, []);
  });
});
