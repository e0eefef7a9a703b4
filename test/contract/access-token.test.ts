// The bearer token of v2.0 operations: every invalid one, and how a valid one ends.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { closeOrganization } from "../../src/actions/access/close-organization.ts";
import { makeCredential } from "../../src/actions/credential.ts";
import { revokeKey, rotateKey } from "../../src/actions/access/keys.ts";
import { openApp } from "../../src/process/app.ts";
import { operations } from "../../src/process/operations.ts";
import { fetchToken } from "../support/customer.ts";
import type { Reply } from "../support/http-client.ts";
import { waitFor } from "../support/wait-for.ts";
import { assertCode, fromNewAddress, startScene } from "./scene.ts";

const scene = await startScene();
const { client, service } = scene;
const customer = await scene.makeCustomer();
after(() => scene.stop());

function ask(authorization: string | undefined, { method = "GET", path = "/v2/transaction" } = {}) {
  return client.send({ method, path, headers: { ...fromNewAddress(), authorization } });
}

async function askWith(token: string): Promise<Reply> {
  return ask(`Bearer ${token}`);
}

const unknown = makeCredential("access_token");
const mistyped = `${customer.token.slice(0, -1)}${customer.token.endsWith("0") ? "1" : "0"}`;

const wrong = [
  ["that is missing", 40101, undefined],
  ["that is empty", 40101, ""],
  ["of another scheme", 40102, "Basic dXNlcjpwYXNzd29yZA=="],
  ["that is only a scheme", 40102, "Bearer"],
  ["that is a scheme and a space", 40102, "Bearer "],
  ["of two words", 40102, `Bearer ${customer.token} more`],
  ["that is another kind of text", 40102, "Bearer something-else"],
  ["with a typing error", 40102, `Bearer ${mistyped}`],
  ["that is unknown", 40102, `Bearer ${unknown}`],
  ["that is an API key", 40105, `Bearer ${customer.apiKey}`],
  ["that is an API key without Bearer", 40105, customer.apiKey],
  ["that is a token without Bearer", 40105, customer.token],
] as const;

describe("a credential", () => {
  for (const [what, code, authorization] of wrong) {
    it(`${what} is refused with ${code}`, async () => {
      const reply = await ask(authorization);
      assertCode(reply, code);
      const { "www-authenticate": challenge = "" } = reply.headers;
      if (code === 40101) assert.equal(challenge, 'Bearer realm="sluice"');
      else {
        assert.ok(challenge.startsWith('Bearer realm="sluice", error="invalid_token"'), challenge);
        assert.ok(challenge.includes(`error_description="${reply.body.message}"`));
      }
    });
  }

  it("is never repeated in a reply or logged", async () => {
    for (const secret of [customer.apiKey, customer.token, mistyped]) {
      for (const authorization of [secret, `Bearer ${secret}`, `Basic ${secret}`]) {
        const { text, headers } = await ask(authorization);
        assert.ok(!(text + JSON.stringify(headers)).includes(secret));
      }
      assert.ok(service.log.every((line) => !line.includes(secret)));
    }
  });

  it("is read whatever the case of Bearer and the spaces around it", async () => {
    for (const authorization of [`bearer ${customer.token}`, `BEARER   ${customer.token}`]) {
      assert.equal((await ask(authorization)).status, 400);
    }
  });
});

describe("a token", () => {
  it("works until the second it expires, and is then refused as expired", async () => {
    const token = await fetchToken(client, customer, { expirySeconds: 300 });
    service.clock.advanceMs(299_999);
    assert.equal((await askWith(token)).status, 400);
    service.clock.advanceMs(1);
    const reply = await askWith(token);
    assertCode(reply, 40103);
    assert.match(reply.headers["www-authenticate"] ?? "", /error="invalid_token"/);
  });

  it("is refused as expired even when it is used for the first time", async () => {
    const token = await fetchToken(client, customer, { expirySeconds: 300 });
    service.clock.advanceMs(300_000);
    assert.equal((await askWith(token)).body.code, 40103);
  });

  it("ends at once when its key is revoked in this process, unlike others of the organization", async () => {
    const other = await scene.makeCustomer();
    assert.equal((await askWith(other.token)).status, 400);
    await revokeKey(service.app, other.keyId);
    assert.equal((await askWith(other.token)).body.code, 40104);
    assert.equal((await askWith(customer.token)).status, 400);
  });

  it("ends within 2 seconds of the closing of its organization by another process, as does its key", async () => {
    const other = await scene.makeCustomer();
    const { organizationId, apiKey: authorization } = other;
    assert.equal((await askWith(other.token)).status, 400);
    const options = { role: "command", now: service.clock.now } as const;
    const operator = await openApp(service.config, options);
    await closeOrganization(operator, { organizationId, reason: "ended" });
    await operator.close();
    const reply = await waitFor("the token to end", async () => {
      const found = await askWith(other.token);
      return found.status === 401 ? found : undefined;
    });
    assert.deepEqual([reply.body.code, reply.body.message], [40104, "The organization is closed."]);
    assert.match(reply.headers["www-authenticate"] ?? "", /error="invalid_token"/);
    const scopes = { organization_id: organizationId, scopes: ["transactions:write"] };
    const headers = { ...fromNewAddress(), authorization };
    const body = { expiry_seconds: 300, scopes };
    const issued = await client.send({ method: "POST", path: "/auth/token", headers, body });
    assertCode(issued, 40104);
    await waitFor("the worker to erase it", async () => {
      const found = await service.app.store.findOrganization(organizationId);
      const id = found?.deletionRequestId ?? "";
      const deletion = await service.app.store.findDeletion(id, organizationId);
      return deletion?.status === "completed";
    });
  });

  it("works until the end of the overlap of a rotation of its key, and no longer", async () => {
    const other = await scene.makeCustomer();
    assert.equal((await askWith(other.token)).status, 400);
    await rotateKey(service.app, { keyId: other.keyId, overlapMs: 60_000 });
    await service.app.callers.confirm(service.app.store);
    service.clock.advanceMs(59_999);
    assert.equal((await askWith(other.token)).status, 400);
    service.clock.advanceMs(1);
    assert.equal((await askWith(other.token)).body.code, 40103);
  });

  it("does not outlive its key, and the reply that issues it says so", async () => {
    const other = await scene.makeCustomer({ keyLifetimeMs: 1_000_500 });
    const issue = async () => {
      const scopes = { organization_id: other.organizationId, scopes: ["transactions:write"] };
      const body = { expiry_seconds: 86_400, scopes };
      const headers = { ...fromNewAddress(), authorization: other.apiKey };
      return await client.send({ method: "POST", path: "/auth/token", headers, body });
    };
    const end = Math.floor((service.clock.now() + 1_000_500) / 1_000);
    const first = await issue();
    assert.deepEqual([first.status, first.body.expiry], [200, end]);
    // Less than the shortest lifetime that may be requested is left, so the token's lifetime is
    // shorter.
    service.clock.advanceMs(end * 1_000 - service.clock.now() - 10_000);
    const second = await issue();
    assert.deepEqual([second.status, second.body.expiry], [200, end]);
    const token = second.body.token ?? "";
    assert.equal((await askWith(token)).status, 400);
    service.clock.advanceMs(10_000);
    assert.equal((await askWith(token)).body.code, 40103);
    assert.equal((await issue()).body.code, 40103);
  });

  it("is refused at every operation after the revocation of its key", async () => {
    const other = await scene.makeCustomer();
    await revokeKey(service.app, other.keyId);
    for (const { method, path } of operations.filter(
      ({ permission }) => permission !== undefined,
    )) {
      const reply = await ask(`Bearer ${other.token}`, { method, path });
      assertCode(reply, 40104, `${method} ${path}`);
      assert.match(reply.headers["www-authenticate"] ?? "", /error="invalid_token"/);
    }
  });
});
