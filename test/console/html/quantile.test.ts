// The duration that a share of the requests did not exceed, from counts per bucket.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatSeconds, quantile } from "../../../src/console/html/time.ts";

describe("a quantile", () => {
  const buckets = [0.1, 1];

  it("is the bound of the first bucket that reaches the share", () => {
    assert.equal(quantile([5, 5, 0], buckets, 0.5), 0.1);
    assert.equal(quantile([5, 5, 0], buckets, 0.51), 1);
    assert.equal(quantile([0, 1, 9], buckets, 0.5), Infinity);
    assert.equal(quantile([0, 0, 0], buckets, 0.5), undefined);
  });

  it("is shown with its unit", () => {
    const shown = [0.0025, 2.5, Infinity, undefined].map((one) => formatSeconds(one, buckets));
    assert.deepEqual(shown, ["2.5 ms", "2.5 s", "more than 1 s", "no requests"]);
  });
});
