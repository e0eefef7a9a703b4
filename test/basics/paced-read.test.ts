// Reads in parts: what a caller waits for, and how often a long read is repeated.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PacedRead, type Parts, readParts } from "../../src/basics/paced-read.ts";
import { waitFor } from "../support/wait-for.ts";

async function* count(parts: number, onPart: () => void): Parts<number> {
  for (let part = 1; part < parts; part += 1) {
    onPart();
    yield;
  }
  onPart();
  return parts;
}

describe("a paced read", () => {
  it("of one part is made each time, once for all that wait", async () => {
    let reads = 0;
    const paced = new PacedRead(() => count(1, () => (reads += 1)));
    assert.deepEqual(await Promise.all([paced.latest(), paced.latest()]), [1, 1]);
    assert.equal(await paced.latest(), 1);
    assert.equal(reads, 2);
  });

  it("of several parts is waited for as far as the first, and takes a hundredth of the time", async () => {
    let now = 0;
    let read = 0;
    const paced = new PacedRead(
      () =>
        count(5, () => {
          read += 1;
          now += 2;
        }),
      () => now,
    );
    assert.equal(await paced.latest(), undefined);
    assert.equal(read, 1);
    await waitFor("the read to end", async () => (await paced.latest()) === 5 || undefined);
    assert.deepEqual([read, now], [5, 10]);
    now = 999;
    assert.equal(await paced.latest(), 5);
    assert.equal(read, 5);
    now = 1_000;
    assert.equal(await paced.latest(), 5);
    assert.equal(read, 6);
  });

  it("that fails is begun again, and no earlier result is returned meanwhile", async () => {
    let fails = false;
    let now = 0;
    const paced = new PacedRead(
      () =>
        count(2, () => {
          now += 1;
          if (fails) throw new Error("no store");
        }),
      () => now,
    );
    await waitFor("the read to end", async () => (await paced.latest()) === 2 || undefined);
    [fails, now] = [true, 1_000];
    await assert.rejects(paced.latest(), /no store/);
    fails = false;
    assert.equal(await paced.latest(), undefined);
  });

  it("lets others be served between two parts", async () => {
    const order: string[] = [];
    setImmediate(() => order.push("other"));
    await readParts(count(3, () => order.push("part")));
    assert.deepEqual(order, ["part", "other", "part", "part"]);
  });
});
