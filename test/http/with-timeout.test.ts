// The bound on a wait: who is late, and who is not though the clock says so.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { withTimeout } from "../../src/http/with-timeout.ts";

async function afterTurns(count: number): Promise<string> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
  return "answer";
}

function standStillMs(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

describe("a bounded wait", () => {
  it("gives what comes in time, and the error of what fails in time", async () => {
    assert.equal(await withTimeout(afterTurns(1), 10_000), "answer");
    await assert.rejects(withTimeout(Promise.reject(new Error("refused")), 10_000), /refused/);
  });

  it("ends for what never comes", async () => {
    await assert.rejects(withTimeout(new Promise(() => {}), 20), { code: "late" });
  });

  it("does not blame the answer when this process stood still", async () => {
    const waiting = withTimeout(afterTurns(4), 400);
    standStillMs(500);
    assert.equal(await waiting, "answer");
  });
});
