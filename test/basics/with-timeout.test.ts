// The time limit of an operation: what is late, and what is not though the clock says so.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { withTimeout } from "../../src/basics/with-timeout.ts";

async function afterTicks(count: number): Promise<string> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
  return "answer";
}

function blockMs(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

describe("an operation with a timeout", () => {
  it("returns the value or the error that arrives in time", async () => {
    assert.equal(await withTimeout(afterTicks(1), 10_000), "answer");
    await assert.rejects(withTimeout(Promise.reject(new Error("refused")), 10_000), /refused/);
  });

  it("fails if nothing arrives", async () => {
    await assert.rejects(withTimeout(new Promise(() => {}), 20), { code: "late" });
  });

  it("does not fail when this process itself was suspended", async () => {
    const waiting = withTimeout(afterTicks(4), 400);
    blockMs(500);
    assert.equal(await waiting, "answer");
  });
});
