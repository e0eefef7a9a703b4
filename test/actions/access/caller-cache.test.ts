// The cache of callers. Lookups that are requested at the same time.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  CallerCache,
  type Identity,
  SharedLookups,
} from "../../../src/actions/access/caller-cache.ts";

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

const observed = (version: number) => ({ credentialsVersion: async () => version });

describe("the cache of callers", () => {
  it("finds a caller that was read under the current version", async () => {
    const cache = new CallerCache();
    assert.equal(await cache.confirm(observed(1)), 1);
    cache.keep("hash", identity, 1);
    assert.equal(cache.find("hash"), identity);
    assert.equal(cache.find("other"), undefined);
  });

  it("does not cache a caller that was read before credentials changed", async () => {
    const cache = new CallerCache();
    cache.keep("hash", identity, 1);
    await cache.confirm(observed(2));
    cache.keep("hash", identity, 1);
    assert.equal(cache.find("hash"), undefined);
  });

  it("keeps its callers while the version is the same, and is emptied when it changes", async () => {
    const cache = new CallerCache();
    await cache.confirm(observed(1));
    cache.keep("hash", identity, 1);
    await cache.confirm(observed(1));
    assert.equal(cache.find("hash"), identity);
    await cache.confirm(observed(2));
    assert.equal(cache.find("hash"), undefined);
  });

  it("finds nobody when the last reading that has ended began 2 seconds ago", async () => {
    let now = 0;
    const cache = new CallerCache(() => now);
    await cache.confirm(observed(1));
    cache.keep("hash", identity, 1);
    now = 500;
    const late = Promise.withResolvers<number>();
    const reading = cache.confirm({ credentialsVersion: () => late.promise });
    now = 1_999;
    assert.equal(cache.find("hash"), identity);
    now = 2_000;
    assert.equal(cache.find("hash"), undefined);
    await assert.rejects(
      cache.confirm({ credentialsVersion: () => Promise.reject(new Error("away")) }),
      /away/,
    );
    assert.equal(cache.find("hash"), undefined);
    late.resolve(1);
    await reading;
    assert.equal(cache.find("hash"), identity);
    now = 2_500;
    assert.equal(cache.find("hash"), undefined);
  });

  it("does not go back to what a reading says that began earlier", async () => {
    let now = 0;
    const cache = new CallerCache(() => now);
    const late = Promise.withResolvers<number>();
    const reading = cache.confirm({ credentialsVersion: () => late.promise });
    now = 1;
    await cache.confirm(observed(2));
    late.resolve(1);
    cache.keep("old", identity, await reading);
    cache.keep("hash", identity, 2);
    assert.equal(cache.find("old"), undefined);
    assert.equal(cache.find("hash"), identity);
  });

  it("is bounded", async () => {
    const cache = new CallerCache();
    await cache.confirm(observed(1));
    for (let index = 0; index <= 100_000; index += 1) cache.keep(`hash ${index}`, identity, 1);
    assert.equal(cache.find("hash 0"), undefined);
    assert.equal(cache.find("hash 100000"), identity);
  });
});

/** Each lookup ends when the test ends it. */
class Source {
  readonly lookups: PromiseWithResolvers<number>[] = [];
  readonly read = (): Promise<number> => {
    const lookup = Promise.withResolvers<number>();
    this.lookups.push(lookup);
    return lookup.promise;
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("shared lookups", () => {
  it("needs two for any number that are requested at once", async () => {
    const source = new Source();
    const shared = new SharedLookups<number>();
    const asked = Array.from({ length: 1_000 }, () => shared.run("a", source.read));
    assert.equal(source.lookups.length, 1);
    source.lookups[0]?.resolve(1);
    await turn();
    assert.equal(source.lookups.length, 2);
    source.lookups[1]?.resolve(2);
    assert.deepEqual(await Promise.all(asked), [1, ...Array.from({ length: 999 }, () => 2)]);
    assert.equal(source.lookups.length, 2);
  });

  it("returns nothing that was read before it was requested", async () => {
    const source = new Source();
    const shared = new SharedLookups<number>();
    const first = shared.run("a", source.read);
    const second = shared.run("a", source.read);
    source.lookups[0]?.resolve(1);
    assert.equal(await first, 1);
    await turn();
    const third = shared.run("a", source.read);
    source.lookups[1]?.resolve(2);
    assert.equal(await second, 2);
    await turn();
    source.lookups[2]?.resolve(3);
    assert.equal(await third, 3);
  });

  it("rejects only those that share the lookup that failed", async () => {
    const source = new Source();
    const shared = new SharedLookups<number>();
    const first = shared.run("a", source.read);
    const second = shared.run("a", source.read);
    source.lookups[0]?.reject(new Error("unreachable"));
    await assert.rejects(first, /unreachable/);
    await turn();
    source.lookups[1]?.resolve(2);
    assert.equal(await second, 2);
  });

  it("keeps keys apart", async () => {
    const source = new Source();
    const shared = new SharedLookups<number>();
    const asked = [shared.run("a", source.read), shared.run("b", source.read)];
    assert.equal(source.lookups.length, 2);
    source.lookups[0]?.resolve(1);
    source.lookups[1]?.resolve(2);
    assert.deepEqual(await Promise.all(asked), [1, 2]);
  });
});
