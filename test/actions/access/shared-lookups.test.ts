// Lookups that are requested at the same time.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SharedLookups } from "../../../src/actions/access/caller-cache.ts";

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
