// What the claims of a platform's token have to be, before any signature is verified.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  findMismatch,
  type IdentityRule,
  type ProgramClaims,
  readClaims,
} from "../../../src/feature/identity/identity-rule.ts";

const now = 1_000_000_000;
const seconds = now / 1_000;
const good = {
  iss: "https://issuer.example.com",
  sub: "repo:acme/ledger",
  aud: "sluice",
  exp: seconds + 300,
};

function faultOf(claims: Readonly<Record<string, unknown>>): string | undefined {
  const read = readClaims({ ...good, ...claims }, now);
  return typeof read === "string" ? read : undefined;
}

describe("the claims of a platform's token", () => {
  it("are accepted with issuer, subject, one audience and an end", () => {
    assert.equal(faultOf({}), undefined);
    assert.equal(faultOf({ aud: ["sluice"], nbf: seconds, iat: seconds, jti: "one" }), undefined);
  });

  it("are refused without one of these", () => {
    for (const name of ["iss", "sub", "aud", "exp"]) {
      assert.match(faultOf({ [name]: undefined }) ?? "", new RegExp(`\\(${name}\\)`), name);
    }
  });

  it("are refused with several audiences, even if one is right", () => {
    for (const aud of [
      ["sluice", "other"],
      [],
      [["sluice"]],
      { sluice: 1 },
      ["sluice", "sluice"],
    ]) {
      assert.match(faultOf({ aud }) ?? "", /aud/, JSON.stringify(aud));
    }
  });

  it("allow clocks to differ by 60 seconds, and no more", () => {
    assert.equal(faultOf({ exp: seconds - 59 }), undefined);
    assert.match(faultOf({ exp: seconds - 60 }) ?? "", /expired/);
    for (const name of ["nbf", "iat"]) {
      assert.equal(faultOf({ [name]: seconds + 60 }), undefined);
      assert.match(faultOf({ [name]: seconds + 61 }) ?? "", /not valid yet/);
      assert.match(faultOf({ [name]: "soon" }) ?? "", /not a number/);
    }
  });

  it("expire within a day", () => {
    assert.equal(faultOf({ exp: seconds + 86_460 }), undefined);
    for (const exp of [seconds + 86_461, Number.MAX_SAFE_INTEGER, 1e308]) {
      assert.match(faultOf({ exp }) ?? "", /longer than 24 hours/);
    }
    for (const exp of ["1", null, Number.POSITIVE_INFINITY, true]) {
      assert.match(faultOf({ exp }) ?? "", /\(exp\)/);
    }
  });

  it("have a subject and an id that can be stored and shown in a line", () => {
    for (const text of ["", "  ", "a\nb", "a\u0000b", "\ud800", "x".repeat(257), 7, ["a"]]) {
      assert.match(faultOf({ sub: text }) ?? "", /\(sub\)/);
      assert.match(faultOf({ jti: text }) ?? "", /\(jti\)/);
    }
  });
});

describe("a rule", () => {
  const rule: IdentityRule = {
    issuer: good.iss,
    audience: "sluice",
    claims: { sub: "repo:acme/*", ref: "refs/heads/main" },
    lifetimeSeconds: 3_600,
    reusable: false,
  };
  const mismatch = (claims: Readonly<Record<string, unknown>>, of = rule) =>
    findMismatch(
      of,
      readClaims({ ...good, ref: "refs/heads/main", ...claims }, now) as ProgramClaims,
    );

  it("accepts what it names", () => {
    assert.equal(mismatch({}), undefined);
    assert.equal(mismatch({ sub: "repo:acme/" }), undefined);
  });

  it("refuses another issuer, audience or claim", () => {
    assert.match(mismatch({ iss: "https://issuer.example.com/" }) ?? "", /issuer/);
    assert.match(mismatch({ aud: "Sluice" }) ?? "", /audience/);
    for (const sub of [
      "repo:acme-evil/ledger",
      "repo:acme",
      "REPO:ACME/ledger",
      "repo:acme/*x".slice(1),
    ])
      assert.match(mismatch({ sub }) ?? "", /sub/, sub);
    for (const ref of [undefined, "refs/heads/main2", ["refs/heads/main"], { a: 1 }, true, 1])
      assert.match(mismatch({ ref }) ?? "", /ref/, JSON.stringify(ref));
  });

  it("takes no claim from the prototype of objects", () => {
    const odd = { ...rule, claims: { constructor: "*x".slice(1), toString: "x" } };
    assert.match(mismatch({}, odd) ?? "", /constructor/);
  });
});
