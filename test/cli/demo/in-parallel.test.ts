// Work that is done a bounded number at a time.

import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { describe, it } from "node:test";
import { inBatches, inParallel } from "../../../src/cli/demo/in-parallel.ts";

async function* failing(): AsyncGenerator<number> {
  yield 1;
  throw new Error("unreadable");
}

describe("working in parallel", () => {
  it("does every item once, never more at a time than allowed", async () => {
    const done: number[] = [];
    let now = 0;
    let most = 0;
    await inParallel(
      Array.from({ length: 20 }, (_, index) => index),
      3,
      async (item) => {
        now += 1;
        most = Math.max(most, now);
        await turn();
        done.push(item);
        now -= 1;
      },
    );
    assert.deepEqual(
      done.sort((one, other) => one - other),
      Array.from({ length: 20 }, (_, index) => index),
    );
    assert.equal(most, 3);
  });

  it("begins nothing more after a failure, gives the failure, and closes what it reads from", async () => {
    let closed = false;
    let begun = 0;
    async function* endless(): AsyncGenerator<number> {
      try {
        for (let item = 0; ; item += 1) yield item;
      } finally {
        closed = true;
      }
    }
    const working = inParallel(endless(), 2, async (item) => {
      begun += 1;
      await turn();
      if (item === 3) throw new Error("the third");
    });
    await assert.rejects(working, /the third/);
    assert.ok(closed);
    assert.ok(begun < 10);
  });

  it("passes on the failure of what it reads from", async () => {
    await assert.rejects(
      inParallel(failing(), 4, () => Promise.resolve()),
      /unreadable/,
    );
  });
});

describe("batches", () => {
  it("hold all items in order, the last one the rest", async () => {
    assert.deepEqual(await Array.fromAsync(inBatches([1, 2, 3, 4, 5], 2)), [[1, 2], [3, 4], [5]]);
    assert.deepEqual(await Array.fromAsync(inBatches([1, 2], 2)), [[1, 2]]);
    assert.deepEqual(await Array.fromAsync(inBatches([], 2)), []);
  });
});
