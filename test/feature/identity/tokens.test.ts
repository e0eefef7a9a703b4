// Tokens of platforms at POST /auth/token: who gets an access token, what the reply and the audit trail say, and what a
// form may be.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { closeOrganization } from "../../../src/actions/access/close-organization.ts";
import { revokeRule } from "../../../src/feature/identity/rules.ts";
import { waitFor } from "../../support/wait-for.ts";
import { asAssertion, type Form, requireRefused, startProgramScene } from "./program-scene.ts";
import { fromNewAddress, typeNamed } from "../../contract/scene.ts";

const scene = await startProgramScene();
const { client, issuer, send, service, trust, withTrust, clock } = scene;
after(() => scene.stop());

describe("a token of a platform", () => {
  for (const path of ["/auth/token", "/v2/auth/token"]) {
    it(`gets an access token as an assertion at ${path}, with the fields of RFC 6749`, async () => {
      const customer = await withTrust();
      const reply = await send(customer, issuer.sign({ sub: "intake" }), { path });
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.headers["cache-control"], "no-store");
      const { token, ...rest } = reply.body;
      const scopes = ["transactions:write", "person:read"];
      assert.deepEqual(rest, {
        expiry: Math.floor(clock.now() / 1_000) + 3_600,
        organization_id: customer.organizationId,
        organization_name: customer.organizationName,
        scopes: { organization_id: customer.organizationId, scopes },
        access_token: token,
        token_type: "Bearer",
        expires_in: 3_600,
        scope: scopes.join(" "),
      });
      const query = { tx_id: "none" };
      const checked = await client.send({ method: "GET", path: "/v2/transaction", query, token });
      assert.equal(checked.status, 404);
    });
  }

  it("gets the scopes and the lifetime that it asks for, within those of the rule", async () => {
    const customer = await withTrust({ reusable: true, lifetimeSeconds: 600 });
    const token = issuer.sign({ sub: "intake" });
    const ask = (form: Form) => send(customer, token, { form });
    const less = await ask({ scope: "person:read", expiry_seconds: "300" });
    assert.deepEqual([less.body["scope"], less.body["expires_in"]], ["person:read", 300]);
    const more = await ask({ expiry_seconds: "86400" });
    assert.equal(more.body["expires_in"], 600);
    const other = await ask({ scope: "company:read" });
    assert.deepEqual(
      [other.status, other.body.code, other.body["error"]],
      [403, 40301, "invalid_scope"],
    );
    const unknown = await ask({ scope: "nothing:read" });
    assert.deepEqual(
      [unknown.status, unknown.body.code, unknown.body["error"]],
      [400, 40002, "invalid_scope"],
    );
  });

  it("is in the audit trail as the rule, the issuer and the subject", async () => {
    const customer = await scene.makeCustomer();
    const rule = await trust(customer, issuer);
    const { body } = await send(customer, issuer.sign({ sub: "intake" }));
    const asProgram = { ...customer, token: body.token ?? "" };
    const record = await scene.addRecord(asProgram, typeNamed("transaction"));
    const path = "/v2/transaction";
    const id = String(record["tx_id"]);
    const deleted = await scene.ask(asProgram, {
      method: "DELETE",
      path,
      body: { tx_id: id, reason: "over" },
    });
    assert.equal(deleted.status, 200, deleted.text);
    const { entries } = await service.app.store.trail.search({
      organizationId: customer.organizationId,
      action: "deletion.request",
      actor: undefined,
      from: undefined,
      until: undefined,
      limit: 1,
      examinedMax: 100,
      before: undefined,
    });
    assert.equal(entries[0]?.actor, `${rule.keyId} ${issuer.address} intake`);
  });

  it("is accepted by the oldest rule that matches", async () => {
    const customer = await withTrust({ scopes: ["person:read"], claims: { sub: "int*" } });
    await trust(customer, issuer, { scopes: ["company:read"] });
    const reply = await send(customer, issuer.sign({ sub: "intake" }));
    assert.equal(reply.body["scope"], "person:read");
  });

  it("ends with its rule at once, with what was issued for it", async () => {
    const customer = await scene.makeCustomer();
    const rule = await trust(customer, issuer, { reusable: true });
    const platform = issuer.sign({ sub: "intake" });
    const { token } = (await send(customer, platform)).body;
    await revokeRule(service.app, rule.keyId);
    clock.advanceMs(2_000);
    const used = await waitFor("the revocation to be noticed", async () => {
      const query = { tx_id: "none" };
      const reply = await client.send({ method: "GET", path: "/v2/transaction", query, token });
      return reply.status === 401 ? reply : undefined;
    });
    assert.equal(used.body.code, 40104);
    requireRefused(await send(customer, platform));
  });

  it("is of no use for a closed organization", async () => {
    const customer = await withTrust({ reusable: true });
    const { organizationId } = customer;
    await closeOrganization(service.app, { organizationId, reason: "over" });
    requireRefused(await send(customer, issuer.sign({ sub: "intake" })));
  });

  it("leaves the way with an API key as it is", async () => {
    const customer = await withTrust();
    const both = await send(customer, issuer.sign({ sub: "intake" }), {
      headers: { authorization: customer.apiKey },
    });
    assert.deepEqual([both.status, both.body.code, both.body["error"]], [415, 41501, undefined]);
    const asJson = await client.send({
      method: "POST",
      path: "/auth/token",
      headers: fromNewAddress(),
      body: { ...asAssertion, client_assertion: issuer.sign({ sub: "intake" }) },
    });
    assert.deepEqual([asJson.status, asJson.body.code], [401, 40101]);
  });
});

describe("the form", () => {
  const exchange = "urn:ietf:params:oauth:grant-type:token-exchange";
  const cases: readonly (readonly [string, Form, string])[] = [
    ["another grant", { grant_type: "password" }, "unsupported_grant_type"],
    ["no grant", { grant_type: "" }, "unsupported_grant_type"],
    ["another type of assertion", { client_assertion_type: "urn:none" }, "invalid_request"],
    ["no assertion", { client_assertion: "" }, "invalid_request"],
    ["no organization", { organization_id: "" }, "invalid_request"],
    ["a long organization", { organization_id: "x".repeat(257) }, "invalid_request"],
    ["the grant of a token exchange", { grant_type: exchange }, "unsupported_grant_type"],
    ["no scope in scope", { scope: " " }, "invalid_request"],
    ["a lifetime that is too short", { expiry_seconds: "299" }, "invalid_request"],
    ["a lifetime that is no number", { expiry_seconds: "0x300" }, "invalid_request"],
  ];
  for (const [title, form, error] of cases) {
    it(`is refused with ${title}`, async () => {
      const customer = await withTrust();
      const reply = await send(customer, issuer.sign({ sub: "intake" }), { form });
      assert.equal(reply.status, 400, reply.text);
      assert.equal(reply.body.code, 40000);
      assert.equal(reply.body["error"], error);
      assert.equal(typeof reply.body["error_description"], "string");
      assert.equal(reply.body.errors?.length, 1);
    });
  }

  it("names each parameter once", async () => {
    const customer = await withTrust();
    const body = new URLSearchParams([
      ...Object.entries(asAssertion),
      ["organization_id", customer.organizationId],
      ["client_assertion", issuer.sign({ sub: "intake" })],
      ["client_assertion", issuer.sign({ sub: "other" })],
    ]).toString();
    const headers = { ...fromNewAddress(), "content-type": "application/x-www-form-urlencoded" };
    const reply = await client.send({ method: "POST", path: "/auth/token", headers, body });
    assert.deepEqual([reply.status, reply.body.errors?.[0]?.field], [400, "client_assertion"]);
  });

  it("has at most 32 KiB, and a token 16 KiB", async () => {
    const customer = await withTrust();
    const long = issuer.sign({ sub: "intake", more: "x".repeat(13_000) });
    assert.ok(long.length > 16 * 1_024);
    requireRefused(await send(customer, long));
    const longer = await send(customer, issuer.sign({ sub: "intake", more: "x".repeat(30_000) }));
    assert.deepEqual([longer.status, longer.body.code], [413, 41301]);
    const good = await send(customer, issuer.sign({ sub: "intake", more: "x".repeat(10_000) }));
    assert.equal(good.status, 200);
  });
});
