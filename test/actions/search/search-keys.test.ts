// The keys of the index of persons: a hash says nothing to whoever has the hashes of another organization or another
// key.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeSearchKeys } from "../../../src/actions/search/search-keys.ts";
import { makeKey } from "../../../src/data-folder/receipt-key.ts";

function hexOf(keys: ReturnType<typeof makeSearchKeys>, organizationId: string): string {
  return Buffer.from(keys.hash(organizationId, "born 1990-12-10")).toString("hex");
}

describe("the hash of a value", () => {
  it("is the same for a key and an organization, and different for another of either", () => {
    const secret = makeKey();
    const [keys, again, others] = [secret, secret, makeKey()].map(makeSearchKeys);
    assert.ok(keys && again && others);
    assert.equal(hexOf(keys, "acme"), hexOf(again, "acme"));
    const hashes = [hexOf(keys, "acme"), hexOf(keys, "other"), hexOf(others, "acme")];
    assert.equal(new Set(hashes).size, 3);
    assert.notEqual(keys.check, others.check);
  });
});
