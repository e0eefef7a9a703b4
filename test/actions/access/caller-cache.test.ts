// The cache of callers.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CallerCache, type Identity } from "../../../src/actions/access/caller-cache.ts";

const identity: Identity = {
  organizationId: "acme",
  organizationName: "Acme",
  keyId: "key_1",
  actor: "key_1",
  expiresAt: Number.POSITIVE_INFINITY,
  covered: new Set(),
  confidential: new Set(),
  rateLimitPerSecond: undefined,
  deletionGraceSeconds: 0,
};

describe("the cache of callers", () => {
  it("finds a caller that was read under the current version", () => {
    const cache = new CallerCache();
    cache.observe(1);
    cache.keep("hash", identity, 1);
    assert.equal(cache.find("hash"), identity);
    assert.equal(cache.find("other"), undefined);
  });

  it("does not cache a caller that was read before credentials changed", () => {
    const cache = new CallerCache();
    cache.keep("hash", identity, 1);
    cache.observe(2);
    cache.keep("hash", identity, 1);
    assert.equal(cache.find("hash"), undefined);
  });

  it("keeps its callers while the version is the same, and is emptied when it changes", () => {
    const cache = new CallerCache();
    cache.observe(1);
    cache.keep("hash", identity, 1);
    cache.observe(1);
    assert.equal(cache.find("hash"), identity);
    cache.observe(2);
    assert.equal(cache.find("hash"), undefined);
  });

  it("is bounded", () => {
    const cache = new CallerCache();
    cache.observe(1);
    for (let index = 0; index <= 100_000; index += 1) cache.keep(`hash ${index}`, identity, 1);
    assert.equal(cache.find("hash 0"), undefined);
    assert.equal(cache.find("hash 100000"), identity);
  });
});
