// The rank statistic that compares times: it distinguishes series that differ, and no others.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeRandom } from "../support/random.ts";
import { compareRanks } from "./rank-statistic.ts";

describe("the rank statistic", () => {
  const random = makeRandom(1);
  const noise = () => Array.from({ length: 2_000 }, () => random.next());

  it("counts how often a value of the second series is larger", () => {
    assert.equal(compareRanks([1, 2], [3, 4]).superiority, 1);
    assert.equal(compareRanks([3, 4], [1, 2]).superiority, 0);
    assert.equal(compareRanks([1, 1], [1, 1]).superiority, 0.5);
    assert.equal(compareRanks([1, 3], [2, 2]).superiority, 0.5);
    assert.equal(compareRanks([1, 2, 3], [2]).superiority, 0.5);
  });

  it("distinguishes shifted distributions, and not equal ones", () => {
    assert.ok(Math.abs(compareRanks(noise(), noise()).deviations) < 4);
    const later = compareRanks(
      noise(),
      noise().map((value) => value + 0.1),
    );
    assert.ok(later.superiority > 0.55 && later.deviations > 5);
  });
});
