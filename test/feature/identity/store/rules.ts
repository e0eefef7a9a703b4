// Rules for identities of programs as every engine has to store and find them.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { App } from "../../../../src/actions/app.ts";
import {
  identifyProgram,
  readProgramToken,
} from "../../../../src/feature/identity/identify-program.ts";
import { identityRules } from "../../../../src/feature/identity/store/part.ts";
import { type Engine, useSite } from "../../../conformance/engine.ts";
import {
  acme,
  asStored,
  newKey,
  operator,
  organization,
  other,
} from "../../../conformance/scene.ts";

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

export function testRules(engine: Engine): void {
  describe(`${engine.name}: rules for identities of programs`, () => {
    const site = useSite(engine);
    const rule = {
      ...newKey("idn_1"),
      rule: {
        issuer: "https://issuer.example.com",
        audience: "sluice",
        claims: { sub: "intake" },
        lifetimeSeconds: 600,
        reusable: false,
        jwks: { keys: [{ kty: "RSA" }] },
      },
    };
    before(async () => {
      const { store } = site();
      await store.createOrganization(organization(acme), operator);
      await store.createOrganization(organization(other), operator);
      await store.createKey(newKey("key_1"), operator);
      await store.of(identityRules).create(rule, operator);
    });

    it("are found by their organization", async () => {
      const rules = site().store.of(identityRules);
      const stored = asStored(rule);
      assert.deepEqual(await rules.list(acme), [stored]);
      assert.deepEqual(await rules.list(undefined), [stored]);
      assert.deepEqual(await rules.list(other), []);
      const holder = { key: stored, organization: organization(acme) };
      assert.deepEqual(await rules.findTrusting(acme), [holder]);
      assert.deepEqual(await rules.findTrusting(other), []);
    });

    it("are not looked for in an organization that can't be stored", async () => {
      const app = { store: site().store, now: () => operator.now } as unknown as App;
      const [head, claims] = [{ alg: "RS256" }, { iss: "https://issuer.example.com", sub: "a" }];
      const exp = Math.floor(operator.now / 1_000) + 600;
      const token = `${part(head)}.${part({ ...claims, aud: "sluice", exp })}.AAAA`;
      assert.equal(typeof readProgramToken(token, operator.now), "object");
      for (const organizationId of ["a\u0000b", "a\ud800"]) {
        const identified = identifyProgram(app, { organizationId, token });
        await assert.rejects(identified, { errorName: "credential_invalid" });
      }
    });

    it("trust nobody after they are revoked", async () => {
      const { store } = site();
      const rules = store.of(identityRules);
      await rules.revoke("idn_1", operator);
      assert.equal((await store.findKey("idn_1"))?.revokedAt, operator.now);
      assert.deepEqual(await rules.findTrusting(acme), []);
      assert.equal((await rules.list(acme)).length, 1);
    });
  });
}
