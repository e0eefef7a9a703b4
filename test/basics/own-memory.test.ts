// Memory is freed at once where one array of bytes owns it, and never where it is shared.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { freeMemory, ownsMemory } from "../../src/basics/own-memory.ts";

describe("the memory of bytes", () => {
  it("is freed if they own it", () => {
    const bytes = Buffer.allocUnsafeSlow(65_536);
    assert.equal(ownsMemory(bytes), true);
    freeMemory(bytes);
    assert.equal(bytes.length, 0);
  });

  it("is not freed if they are a part of a buffer, or shared between threads", () => {
    const whole = Buffer.alloc(100, "a");
    const shared = new Uint8Array(new SharedArrayBuffer(8));
    for (const bytes of [whole.subarray(0, 99), whole.subarray(1), Buffer.from("pooled"), shared]) {
      const { length } = bytes;
      assert.equal(ownsMemory(bytes), false);
      freeMemory(bytes);
      assert.equal(bytes.length, length);
    }
    assert.equal(whole.toString(), "a".repeat(100));
  });
});
