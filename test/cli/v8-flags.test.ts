// The heap limits that a process sets, measured in processes that produce garbage.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../../src/cli/v8-flags.ts", import.meta.url));
const mebibyte = 1_024 * 1_024;

/**
 * Allocates objects that live for two event-loop ticks, so that the young generation grows; prints its largest size.
 */
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

describe("a limited heap", () => {
  it("keeps the young generation near its limit, where it would grow to several times that", () => {
    const free = mostYoungBytes("");
    const bounded = mostYoungBytes(
      `import { limitHeap } from ${JSON.stringify(source)};
      limitHeap({ garbagePercent: 100, youngGenerationBytes: ${4 * mebibyte} });`,
    );
    assert.ok(free > 12 * mebibyte, `it grew to ${free} bytes only`);
    assert.ok(bounded < 12 * mebibyte, `it grew to ${bounded} bytes`);
  });
});
