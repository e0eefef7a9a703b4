// The bounds that a process sets to its own heap, looked at in processes that make garbage.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../../src/cli/bounded-heap.ts", import.meta.url));
const mebibyte = 1_024 * 1_024;

/** Makes much that lives for two turns, which is what lets the room for new objects grow; gives the most that it had. */
const work = `
  import { getHeapSpaceStatistics, getHeapStatistics } from "node:v8";
  import { setImmediate as endOfTurn } from "node:timers/promises";
  const youngBytes = () =>
    getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space").space_size;
  let most = 0;
  let before = [];
  for (let turn = 0; turn < 400; turn += 1) {
    const made = Array.from({ length: 5_000 }, (_, index) => ({ index, text: "text " + index }));
    most = Math.max(most, youngBytes());
    await endOfTurn();
    before = made;
  }
  console.log(JSON.stringify({ most, kept: before.length }));`;

function mostYoungBytes(setUp: string): number {
  const words = ["--input-type=module-typescript", "--eval", `${setUp}\n${work}`];
  const output = execFileSync(process.execPath, words, { encoding: "utf8" });
  return (JSON.parse(output) as { most: number }).most;
}

describe("a bounded heap", () => {
  it("keeps the room for new objects near its bound, where it would grow to several times of that", () => {
    const free = mostYoungBytes("");
    const bounded = mostYoungBytes(
      `import { boundHeap } from ${JSON.stringify(source)};
      boundHeap({ garbagePercent: 100, youngBytes: ${4 * mebibyte} });`,
    );
    assert.ok(free > 12 * mebibyte, `it grew to ${free} bytes only`);
    assert.ok(bounded < 12 * mebibyte, `it grew to ${bounded} bytes`);
  });
});
