// The arithmetic of token buckets, on a clock that the test moves.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import {
  type BucketPolicy,
  TokenBuckets,
  bucketsMax,
} from "../../../src/http/rate-limit/token-bucket.ts";
import { makeFakeClock } from "../../support/fake-clock.ts";

const policy: BucketPolicy = { name: "test", perSecond: 2, burst: 4 };

function makeBuckets() {
  const clock = makeFakeClock();
  return { clock, buckets: new TokenBuckets(clock.now) };
}

describe("a token bucket", () => {
  it("allows the burst at once and then refuses", () => {
    const { buckets } = makeBuckets();
    const taken = Array.from({ length: 5 }, () => buckets.take("one", policy));
    assert.deepEqual(
      taken.map(({ allowed, remaining }) => [allowed, remaining]),
      [
        [true, 3],
        [true, 2],
        [true, 1],
        [true, 0],
        [false, 0],
      ],
    );
  });

  it("says after how many seconds a refused request is allowed", () => {
    const { buckets } = makeBuckets();
    const slow = { ...policy, perSecond: 0.25, burst: 1 };
    buckets.take("one", slow);
    const refused = buckets.take("one", slow);
    assert.deepEqual(refused, { allowed: false, remaining: 0, waitSeconds: 4 });
  });

  it("says of an allowed request after how many seconds the bucket is full", () => {
    const { buckets } = makeBuckets();
    assert.equal(buckets.take("one", policy).waitSeconds, 1);
    assert.equal(buckets.take("one", policy).waitSeconds, 1);
    assert.equal(buckets.take("one", policy).waitSeconds, 2);
  });

  it("gains tokens with time, up to the burst and no further", () => {
    const { buckets, clock } = makeBuckets();
    for (let index = 0; index < 4; index += 1) buckets.take("one", policy);
    clock.advanceMs(500);
    assert.equal(buckets.take("one", policy).allowed, true);
    assert.equal(buckets.take("one", policy).allowed, false);
    clock.advanceMs(3_600_000);
    assert.equal(buckets.take("one", policy).remaining, 3);
  });

  it("neither gains nor loses when the clock is set back", () => {
    const { buckets, clock } = makeBuckets();
    buckets.take("one", policy);
    clock.advanceMs(-3_600_000);
    assert.equal(buckets.take("one", policy).remaining, 2);
    clock.advanceMs(1_000);
    assert.equal(buckets.take("one", policy).remaining, 3);
  });

  it("is separate for each owner", () => {
    const { buckets } = makeBuckets();
    for (let index = 0; index < 5; index += 1) buckets.take("one", policy);
    assert.equal(buckets.take("one", policy).allowed, false);
    assert.equal(buckets.take("other", policy).allowed, true);
  });

  it("is not changed by reading it", () => {
    const { buckets, clock } = makeBuckets();
    buckets.take("one", policy);
    const seen = { allowed: true, remaining: 3, waitSeconds: 1 };
    assert.deepEqual(buckets.take("one", policy, 0), seen);
    assert.deepEqual(buckets.take("one", policy, 0), seen);
    for (let index = 0; index < 3; index += 1) buckets.take("one", policy);
    assert.deepEqual(buckets.take("one", policy, 0), {
      allowed: false,
      remaining: 0,
      waitSeconds: 1,
    });
    clock.advanceMs(500);
    assert.equal(buckets.take("one", policy, 0).allowed, true);
  });

  it("forgets the oldest owner when there are too many, and only that one", () => {
    const { buckets } = makeBuckets();
    const single = { ...policy, burst: 1, perSecond: 0.001 };
    for (let index = 0; index < bucketsMax; index += 1) buckets.take(`owner ${index}`, single);
    buckets.take("one more", single);
    assert.equal(buckets.take("owner 1", single).allowed, false);
    assert.equal(buckets.take("owner 0", single).allowed, true);
  });

  it("allows a request after the stated wait, whatever came before", () => {
    const rate = fc.constantFrom(1 / 3, 1, 20 / 60, 7, 0.1, 1_000, 3.7);
    const pauses = fc.array(fc.integer({ min: 0, max: 4_000 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(rate, fc.integer({ min: 1, max: 20 }), pauses, (perSecond, burst, waits) => {
        const { buckets, clock } = makeBuckets();
        for (const wait of waits) {
          clock.advanceMs(wait);
          const taken = buckets.take("one", { name: "test", perSecond, burst });
          if (taken.allowed) continue;
          clock.advanceMs(taken.waitSeconds * 1_000);
          assert.equal(buckets.take("one", { name: "test", perSecond, burst }).allowed, true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("never allows more than the burst and what was gained since", () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 80 });
    fc.assert(
      fc.property(pauses, (waits) => {
        const { buckets, clock } = makeBuckets();
        const startedAt = clock.now();
        let allowed = 0;
        for (const wait of waits) {
          clock.advanceMs(wait);
          if (buckets.take("one", policy).allowed) allowed += 1;
          const seconds = (clock.now() - startedAt) / 1_000;
          assert.ok(allowed <= policy.burst + seconds * policy.perSecond + 1e-9);
        }
      }),
    );
  });
});
