// The format of API keys, access tokens and identifiers.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  credentialKind,
  hashSecret,
  makeCredential,
  makeId,
} from "../../src/actions/credential.ts";

describe("a credential", () => {
  for (const kind of ["api_key", "access_token"] as const) {
    it(`has a prefix, 43 characters and a checksum, and is recognised: ${kind}`, () => {
      const credential = makeCredential(kind);
      const prefix = kind === "api_key" ? "sluice_key_" : "sluice_token_";
      assert.match(credential, new RegExp(`^${prefix}[0-9A-Za-z]{49}$`));
      assert.equal(credentialKind(credential), kind);
    });

    it(`is not recognised with any one character replaced: ${kind}`, () => {
      const credential = makeCredential(kind);
      for (const [index, character] of credential.split("").entries()) {
        const other = character === "x" ? "y" : "x";
        const altered = credential.slice(0, index) + other + credential.slice(index + 1);
        assert.equal(credentialKind(altered), undefined, `character ${index}`);
      }
    });

    it(`is not recognised with a character too few or too many: ${kind}`, () => {
      const credential = makeCredential(kind);
      for (const altered of [credential.slice(0, -1), credential.slice(1), `${credential}0`, ""]) {
        assert.equal(credentialKind(altered), undefined);
      }
    });
  }

  it("is different each time, and so is its hash", () => {
    const made = Array.from({ length: 100 }, () => makeCredential("api_key"));
    assert.equal(new Set(made).size, 100);
    // With fewer than 256 bits, the first characters would be zeros.
    const firsts = made.map((credential) => credential.charAt("sluice_key_".length));
    assert.ok(new Set(firsts).size > 20);
    const hashes = made.map((secret) => Buffer.from(hashSecret(secret)).toString("hex"));
    assert.equal(new Set(hashes).size, 100);
  });
});

describe("an identifier", () => {
  it("has its prefix and 16 characters, and is different each time", () => {
    const made = Array.from({ length: 100 }, () => makeId("del"));
    for (const id of made) assert.match(id, /^del_[0-9A-Za-z]{16}$/);
    assert.equal(new Set(made).size, 100);
  });
});
