// The batches of an upload are bounded by their number of records.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Batcher } from "../../client/src/batcher.ts";

describe("the batches of a client", () => {
  it("have every record once and in order, and never more than the most of a batch", async () => {
    const batcher = new Batcher(
      Array.from({ length: 25 }, (_, index) => ({ index })),
      10,
    );
    const batches: number[] = [];
    const indexes: number[] = [];
    for (;;) {
      // The source is read on meanwhile.
      await new Promise(setImmediate);
      const batch = await batcher.take();
      if (batch.length === 0) break;
      batches.push(batch.length);
      indexes.push(...batch.map(({ index }) => index));
    }
    assert.ok(Math.max(...batches) <= 10, batches.join(" "));
    assert.deepEqual(
      indexes,
      Array.from({ length: 25 }, (_, index) => index),
    );
  });
});
