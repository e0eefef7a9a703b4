// The delay before something that fails is tried again.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { backOffMs } from "../../src/basics/back-off.ts";

describe("the back-off", () => {
  it("doubles with each failure, up to its bound", () => {
    const delays = [0, 1, 2, 3, 4].map((failures) => backOffMs(failures, 100, 1_000));
    assert.deepEqual(delays, [100, 200, 400, 800, 1_000]);
  });

  it("is bounded after any number of failures", () => {
    assert.equal(backOffMs(100_000, 1, Number.MAX_SAFE_INTEGER), 2 ** 20);
  });
});
