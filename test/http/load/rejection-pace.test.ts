// How long a reply of 429 waits: not at all at first, and longer the more of them an organization or an address causes.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  ownersMax,
  RejectionPace,
  rejectionDelayMsMax,
  rejectionsBurst,
  rejectionsPerSecond,
} from "../../../src/http/load/rejection-pace.ts";

function makePace() {
  const clock = { ms: 5_000 };
  const pace = new RejectionPace(() => clock.ms);
  const delays = (owner: string, count: number) =>
    Array.from({ length: count }, () => pace.nextDelayMs(owner));
  return { clock, delays };
}

describe("the pace of rejections", () => {
  it("does not delay the first ones", () => {
    const { delays } = makePace();
    assert.deepEqual(new Set(delays("a", rejectionsBurst)), new Set([0]));
  });

  it("spreads out those that follow, up to the longest delay", () => {
    const { delays } = makePace();
    delays("a", rejectionsBurst + 1);
    const spacingMs = 1_000 / rejectionsPerSecond;
    assert.deepEqual(delays("a", 3), [spacingMs, 2 * spacingMs, 3 * spacingMs]);
    assert.equal(delays("a", 10_000).at(-1), rejectionDelayMsMax);
  });

  it("is kept for each owner by itself", () => {
    const { delays } = makePace();
    delays("a", 1_000);
    assert.deepEqual(delays("b", 1), [0]);
  });

  it("no longer delays an owner that was quiet for as long as its last delay and its burst take", () => {
    const { clock, delays } = makePace();
    delays("a", 10_000);
    clock.ms += rejectionDelayMsMax + ((rejectionsBurst + 1) * 1_000) / rejectionsPerSecond;
    assert.deepEqual(new Set(delays("a", rejectionsBurst)), new Set([0]));
  });

  it("remembers a bounded number of owners", () => {
    const { delays } = makePace();
    delays("first", 1_000);
    for (let owner = 0; owner < ownersMax; owner += 1) delays(`owner ${owner}`, 1);
    assert.deepEqual(delays("first", 1), [0]);
  });
});
