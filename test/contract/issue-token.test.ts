// POST /auth/token and its copy under /v2: who gets a token, for what, for how long, and everything
// that is refused.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { changeOrganization } from "../../src/actions/access/change-organization.ts";
import { makeCredential } from "../../src/actions/credential.ts";
import { revokeKey } from "../../src/actions/access/keys.ts";
import { allScopes } from "../../src/domain/scope.ts";
import type { Customer } from "../support/customer.ts";
import type { Reply } from "../support/http-client.ts";
import { assertCode, bare, fieldsOf, fromNewAddress, startScene } from "./scene.ts";

const scene = await startScene();
const { client, service } = scene;
after(() => scene.stop());

/**
 * A key can get 60 tokens a minute; the clock does not advance, so each test has its own customer.
 */
const customer = await scene.makeCustomer();

interface Wanted {
  readonly path?: string;
  readonly authorization?: string | undefined;
  readonly body?: unknown;
}

function ask(who: Customer, { path = "/auth/token", ...wanted }: Wanted = {}): Promise<Reply> {
  const authorization = "authorization" in wanted ? wanted.authorization : who.apiKey;
  const headers = { ...fromNewAddress(), authorization };
  return client.send({ method: "POST", path, headers, body: wanted.body ?? request(who) });
}

function request({ organizationId }: Customer, more: object = {}): Record<string, unknown> {
  const scopes = { organization_id: organizationId, scopes: ["transactions:write"] };
  return { expiry_seconds: 300, scopes, ...more };
}

function withScopes(who: Customer, scopes: unknown): Record<string, unknown> {
  return request(who, { scopes: { organization_id: who.organizationId, scopes } });
}

for (const path of ["/auth/token", "/v2/auth/token"]) {
  describe(`POST ${path}`, () => {
    it("answers with exactly the fields of the interface document", async () => {
      const reply = await ask(customer, { path });
      assert.equal(reply.status, 200, reply.text);
      const { token, ...rest } = reply.body;
      assert.match(token ?? "", /^sluice_token_[0-9A-Za-z]{49}$/);
      assert.deepEqual(rest, {
        expiry: Math.floor(service.clock.now() / 1_000) + 300,
        organization_id: customer.organizationId,
        organization_name: customer.organizationName,
        scopes: { organization_id: customer.organizationId, scopes: ["transactions:write"] },
      });
    });

    it("returns a working token, a different one each time", async () => {
      const tokens = [await ask(customer, { path }), await ask(customer, { path })];
      const [one, other] = tokens.map(({ body }) => body.token ?? "");
      assert.notEqual(one, other);
      for (const token of [one, other]) {
        const query = { tx_id: "none" };
        const reply = await client.send({ method: "GET", path: "/v2/transaction", query, token });
        assert.equal(reply.status, 404);
      }
    });

    it("issues no token for a token", async () => {
      for (const authorization of [customer.token, `Bearer ${customer.token}`]) {
        const reply = await ask(customer, { path, authorization });
        assertCode(reply, 40105);
      }
    });
  });
}

describe("expiry_seconds", () => {
  for (const seconds of [300, 301, 86_399, 86_400]) {
    it(`can be ${seconds}`, async () => {
      const reply = await ask(customer, { body: request(customer, { expiry_seconds: seconds }) });
      assert.equal(reply.status, 200);
      assert.equal(reply.body.expiry, Math.floor(service.clock.now() / 1_000) + seconds);
    });
  }

  for (const seconds of [299, 86_401, 0, -300, 300.5, "300", null, true, [300], undefined]) {
    it(`can't be ${JSON.stringify(seconds) ?? "left out"}`, async () => {
      const reply = await ask(customer, { body: request(customer, { expiry_seconds: seconds }) });
      assertCode(reply, 40000);
      assert.deepEqual(fieldsOf(reply), ["expiry_seconds"]);
    });
  }
});

describe("scopes", () => {
  it("are each of those that exist, all of them at once, and each once", async () => {
    const reply = await ask(customer, { body: withScopes(customer, [...allScopes, ...allScopes]) });
    assert.equal(reply.status, 200);
    const scopes = { organization_id: customer.organizationId, scopes: allScopes };
    assert.deepEqual(reply.body["scopes"], scopes);
  });

  it("that do not exist are refused with the list of those that do", async () => {
    const asked = ["transactions:write", "transactions:admin", "Transactions:read"];
    const reply = await ask(customer, { body: withScopes(customer, asked) });
    assertCode(reply, 40002);
    assert.deepEqual(fieldsOf(reply), ["scopes.scopes[1]", "scopes.scopes[2]"]);
    assert.match(reply.body.errors?.[1]?.message ?? "", /; did you mean transactions:read\?$/);
    for (const scope of allScopes) assert.ok(reply.body.errors?.[0]?.message?.includes(scope));
  });

  it("that the key was not granted are refused by name", async () => {
    const other = await scene.makeCustomer({ scopes: ["person:write", "company:read"] });
    const asked = ["person:read", "company:write", "customer_sar:read"];
    const reply = await ask(other, { body: withScopes(other, asked) });
    assertCode(reply, 40301);
    assert.match(reply.body.message ?? "", /company:write, customer_sar:read/);
    assert.doesNotMatch(reply.body.message ?? "", /person:read/);
  });

  it("that a granted one includes can be requested", async () => {
    const other = await scene.makeCustomer({ scopes: ["transactions:write"] });
    for (const scope of ["transactions:read", "transactions:delete", "risk_assessment:write"]) {
      const reply = await ask(other, { body: withScopes(other, [scope]) });
      assert.equal(reply.status, 200, scope);
    }
  });

  it("included by transactions:write are reduced to read where scopes are strict", async () => {
    const other = await scene.makeCustomer({ scopes: ["transactions:write"] });
    await changeOrganization(service.app, other.organizationId, { strictScopes: true });
    const allowed = await ask(other, { body: withScopes(other, ["transactions:read"]) });
    assert.equal(allowed.status, 200);
    for (const scope of ["transactions:delete", "risk_assessment:read"]) {
      const reply = await ask(other, { body: withScopes(other, [scope]) });
      assert.equal(reply.status, 403, scope);
    }
  });

  for (const [what, scopes] of [
    ["an empty list", []],
    ["text", "transactions:write"],
    ["a list of numbers", [1]],
    ["null", null],
    ["a list that is too long", Array.from({ length: 65 }, () => "transactions:read")],
  ] as const) {
    it(`can't be ${what}`, async () => {
      const reply = await ask(customer, { body: withScopes(customer, scopes) });
      assert.equal(reply.status, 400);
      assert.match(reply.body.errors?.[0]?.field ?? "", /^scopes\.scopes/);
    });
  }
});

describe("the body", () => {
  for (const [what, body, field] of [
    ["has no unknown field", request(customer, { scope: "x" }), "scope"],
    [
      "names the organization",
      { expiry_seconds: 300, scopes: { scopes: [] } },
      "scopes.organization_id",
    ],
    ["holds its scopes in an object", request(customer, { scopes: ["person:read"] }), "scopes"],
    ["is an object", [request(customer)], undefined],
  ] as const) {
    it(what, async () => {
      const reply = await ask(customer, { body });
      assertCode(reply, 40000);
      assert.equal(reply.body.errors?.[0]?.field, field);
    });
  }
});

describe("another organization", () => {
  it("is refused in the same way whether or not it exists", async () => {
    const other = await scene.makeCustomer();
    const replies: Reply[] = [];
    for (const organization_id of [other.organizationId, "org_nobody", "\ud800"]) {
      const scopes = { organization_id, scopes: ["person:read"] };
      replies.push(await ask(customer, { body: request(customer, { scopes }) }));
    }
    const [existing, ...absent] = replies;
    assert.ok(existing !== undefined);
    assertCode(existing, 40302);
    for (const reply of absent) {
      assert.deepEqual(bare(reply), bare(existing));
    }
  });
});

describe("the API key", () => {
  const unknown = makeCredential("api_key");
  const mistyped = `${unknown.slice(0, -1)}${unknown.endsWith("0") ? "1" : "0"}`;

  for (const [what, code, authorization, hint = /./] of [
    ["is missing", 40101, undefined],
    ["is empty", 40101, ""],
    ["is not text", 40102, "let me in"],
    ["has another scheme", 40102, `Basic ${customer.apiKey}`],
    [
      "follows its own name",
      40102,
      `ApiKey ${customer.apiKey}`,
      /send it alone, as Authorization: <API key>\.$/,
    ],
    ["is mistyped", 40102, mistyped],
    ["is truncated", 40102, customer.apiKey.slice(0, -1)],
    ["is unknown", 40102, unknown],
    ["follows the word Bearer", 40105, `Bearer ${customer.apiKey}`, /without the word Bearer/],
    ["follows the word bearer", 40105, `bearer ${customer.apiKey}`],
    ["is an access token", 40105, customer.token],
  ] as const) {
    it(`gets no token when it ${what}`, async () => {
      const reply = await ask(customer, { authorization });
      assertCode(reply, code);
      assert.match(reply.body.message ?? "", hint);
      assert.equal(reply.headers["www-authenticate"], 'ApiKey realm="sluice"');
    });
  }

  it("gets no token once it was revoked", async () => {
    const other = await scene.makeCustomer();
    await revokeKey(service.app, other.keyId);
    const reply = await ask(other);
    assertCode(reply, 40104);
  });

  it("is never repeated in a reply or logged", async () => {
    const replies = [
      await ask(customer, { authorization: `Bearer ${customer.apiKey}` }),
      await ask(customer, { authorization: mistyped }),
      await ask(customer, { body: "{" }),
    ];
    for (const secret of [customer.apiKey, mistyped]) {
      assert.ok(replies.every(({ text }) => !text.includes(secret)));
      assert.ok(service.log.every((line) => !line.includes(secret)));
    }
  });
});

describe("Idempotency-Key at token issuing", () => {
  it("has no effect, since a stored outcome would be a stored secret", async () => {
    const headers = { authorization: customer.apiKey, "idempotency-key": "token" };
    const asked = { method: "POST", path: "/auth/token", headers, body: request(customer) };
    const [one, other] = [await client.send(asked), await client.send(asked)];
    assert.equal(other.status, 200);
    assert.notEqual(one.body.token, other.body.token);
  });
});
