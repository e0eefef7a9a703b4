// The script of shared buckets compared with the buckets of one process: the same requests at the
// same times, the same answers.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import {
  bucketArguments,
  bucketKey,
  bucketScript,
  bucketScriptSha1,
  readBucketReply,
} from "../../../src/http/rate-limit/bucket-script.ts";
import {
  type BucketCost,
  type BucketPolicy,
  type Taken,
  TokenBuckets,
} from "../../../src/http/rate-limit/token-bucket.ts";
import { makeFakeClock } from "../../support/fake-clock.ts";
import { makeLuaRedis } from "../../support/redis/lua-redis.ts";

const policy: BucketPolicy = { name: "test", perSecond: 2, burst: 4 };

function makeShared() {
  const clock = makeFakeClock();
  const redis = makeLuaRedis(clock.now);
  redis.run(["EVAL", bucketScript, "1", ...bucketArguments("loaded", policy, 1)]);
  return {
    clock,
    redis,
    ask: (owner: string, asked: BucketPolicy, cost: BucketCost): Taken => {
      const rest = bucketArguments(bucketKey("store", policy, owner), asked, cost);
      return readBucketReply(redis.run(["EVALSHA", bucketScriptSha1, "1", ...rest]), asked);
    },
  };
}

const slow: BucketPolicy = { name: "slow", perSecond: 1 / 3, burst: 20 };
const usual: BucketPolicy = { name: "usual", perSecond: 1_000, burst: 2_000 };
const fast: BucketPolicy = { name: "fast", perSecond: 10_000_000, burst: 20_000_000 };

interface Asked {
  readonly policies: readonly BucketPolicy[];
  readonly costs: readonly BucketCost[];
  /** All waits are multiples of it. */
  readonly stepMs: number;
}

/** One policy, and some requests of two owners with waits between them. */
function anyRequests({ policies, costs, stepMs }: Asked) {
  const request = fc.record({
    owner: fc.constantFrom("one", "two"),
    cost: fc.constantFrom(...costs),
    times: fc.integer({ min: 1, max: 6 }),
    waitMs: fc.oneof(
      fc.constant(0),
      fc.integer({ min: 0, max: Math.floor(5_000 / stepMs) }).map((steps) => steps * stepMs),
    ),
  });
  return fc.tuple(fc.constantFrom(...policies), fc.array(request, { maxLength: 25 }));
}

function assertAlike(asked: Asked): void {
  fc.assert(
    fc.property(anyRequests(asked), ([given, requests]) => {
      const { clock, ask } = makeShared();
      const own = new TokenBuckets(clock.now);
      for (const { owner, cost, times, waitMs } of requests) {
        for (let done = 0; done < times; done += 1) {
          const expected = own.take(owner, given, cost);
          assert.deepEqual(ask(owner, given, cost), expected);
        }
        clock.advanceMs(waitMs);
      }
    }),
    { numRuns: 60 },
  );
}

describe("the script of a shared bucket", () => {
  it("answers each request as a bucket of one process does, whatever the rate and the waits", () => {
    assertAlike({ policies: [policy, slow, usual, fast], costs: [1], stepMs: 1 });
  });

  // A bucket of one process also rounds when it is only read; so the sums here are exact.
  it("answers as a bucket of one process does when it is read in between, too", () => {
    assertAlike({ policies: [policy, usual, fast], costs: [0, 1, 1, 1], stepMs: 125 });
  });

  it("takes no tokens, and stores nothing, when it only reads", () => {
    const { redis, ask } = makeShared();
    for (let look = 0; look < 3; look += 1) assert.equal(ask("one", policy, 0).remaining, 4);
    assert.deepEqual(redis.run(["KEYS", "sluice:rate:*"]), []);
  });

  it("keeps a bucket for as long as it takes to fill, and no longer", () => {
    const { clock, redis, ask } = makeShared();
    ask("one", policy, 1);
    ask("one", policy, 1);
    const key = bucketKey("store", policy, "one");
    assert.equal(redis.run(["PTTL", key]), 1_001);
    clock.advanceMs(1_001);
    assert.deepEqual(redis.run(["KEYS", "sluice:rate:*"]), []);
    assert.equal(ask("one", policy, 0).remaining, 4);
  });

  it("treats an unreadable value as a full bucket", () => {
    const { redis, ask } = makeShared();
    redis.run(["SET", bucketKey("store", policy, "one"), "of another kind", "PX", "1000"]);
    assert.equal(ask("one", policy, 1).remaining, 3);
  });
});

describe("the key of a shared bucket", () => {
  it("differs by store, limit and owner, and reveals neither store nor owner", () => {
    const keys = [
      bucketKey("store", policy, "192.0.2.1"),
      bucketKey("other store", policy, "192.0.2.1"),
      bucketKey("store", { ...policy, name: "other" }, "192.0.2.1"),
      bucketKey("store", policy, "192.0.2.2"),
    ];
    assert.equal(new Set(keys).size, keys.length);
    for (const key of keys) assert.match(key, /^sluice:rate:(test|other):[\w-]{43}$/);
  });
});

describe("a reply that is not one of the script", () => {
  it("is an error", () => {
    for (const reply of [undefined, null, "OK", [], [1], [1, 2], [1, "many"]]) {
      assert.throws(() => readBucketReply(reply, policy), /not a reply of the script/);
    }
  });
});
