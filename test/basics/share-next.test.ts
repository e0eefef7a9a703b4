// Each call gets an answer that was read after it, and one is read at a time.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as endOfTick } from "node:timers/promises";
import { shareNext } from "../../src/basics/share-next.ts";

describe("a shared answer", () => {
  it("is read after each of the calls that get it, one at a time", async () => {
    const reads: PromiseWithResolvers<number>[] = [];
    const ask = shareNext(() => {
      const read = Promise.withResolvers<number>();
      reads.push(read);
      return read.promise;
    });
    const first = ask();
    await endOfTick();
    const later = [ask(), ask()];
    await endOfTick();
    assert.equal(reads.length, 1);
    reads[0]?.resolve(1);
    assert.equal(await first, 1);
    await endOfTick();
    assert.equal(reads.length, 2);
    reads[1]?.reject(new Error("lost"));
    for (const one of later) await assert.rejects(one, /lost/);
    const last = ask();
    await endOfTick();
    reads[2]?.resolve(3);
    assert.equal(await last, 3);
  });
});
