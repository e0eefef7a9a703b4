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

  it("says how often equal series differ as much", () => {
    // The complementary error function of 4.82418 / √2, from another implementation.
    const low = Array.from({ length: 16 }, (_, index) => index);
    const high = low.map((value) => value + 16);
    const { deviations, p } = compareRanks(low, high);
    assert.ok(Math.abs(deviations - 4.82418) < 1e-5, `${deviations}`);
    assert.ok(Math.abs(p / 1.405794e-6 - 1) < 1e-4, `${p}`);
    assert.ok(Math.abs(compareRanks([1, 1], [1, 1]).p - 1) < 1e-9);
  });
});
