// The delay of 429 replies: none at first, then longer the more of them an organization or an address causes.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  makeRefusalDelays,
  refusalDelayMsMax,
  refusalPolicy,
} from "../../../src/http/load/load.ts";

const { burst, perSecond } = refusalPolicy;

function makePace() {
  const clock = { ms: 5_000 };
  const refusalDelayMs = makeRefusalDelays(() => clock.ms);
  const delays = (owner: string, count: number) =>
    Array.from({ length: count }, () => refusalDelayMs(owner));
  return { clock, delays };
}

describe("the delays of refusals", () => {
  it("does not delay the first ones", () => {
    const { delays } = makePace();
    assert.deepEqual(new Set(delays("a", burst)), new Set([0]));
  });

  it("spreads out those that follow, up to the maximum delay", () => {
    const { delays } = makePace();
    delays("a", burst);
    const spacingMs = 1_000 / perSecond;
    assert.deepEqual(delays("a", 3), [spacingMs, 2 * spacingMs, 3 * spacingMs]);
    assert.equal(delays("a", 10_000).at(-1), refusalDelayMsMax);
  });

  it("is separate for each owner", () => {
    const { delays } = makePace();
    delays("a", 1_000);
    assert.deepEqual(delays("b", 1), [0]);
  });

  it("has no delay again after as long as its last delay and its burst take", () => {
    const { clock, delays } = makePace();
    delays("a", 10_000);
    clock.ms += refusalDelayMsMax + (burst * 1_000) / perSecond;
    assert.deepEqual(new Set(delays("a", burst)), new Set([0]));
  });
});
