// The three limits over HTTP: the headers, the refusals, and that waiting as long as stated works.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { changeOrganization } from "../../src/actions/access/change-organization.ts";
import { createKey } from "../../src/actions/access/keys.ts";
import { limits } from "../../src/domain/limits.ts";
import { type Customer } from "../support/customer.ts";
import type { Ask, Reply } from "../support/http-client.ts";
import { waitFor } from "../support/wait-for.ts";
import { tokenRequest } from "./good-request.ts";
import { assertCode, fromNewAddress, startScene, typeNamed } from "./scene.ts";

const scene = await startScene({ environment: { RATE_LIMIT_PER_SECOND: "5" } });
const { client } = scene;
const { clock } = scene.service;
after(() => scene.stop());

/** Answered with 404 or 429, whatever the customer. */
const probe: Ask = { method: "GET", path: "/v2/transaction", query: { tx_id: "none" } };

async function statuses(count: number, ask: Ask): Promise<number[]> {
  const found: number[] = [];
  for (let sent = 0; sent < count; sent += 1) found.push((await client.send(ask)).status);
  return found;
}

function times(count: number, status: number): number[] {
  return Array.from({ length: count }, () => status);
}

function assertLimited(reply: Reply, policy: string): number {
  assertCode(reply, 42901);
  const { "retry-after": retryAfter, ratelimit, "ratelimit-policy": policies } = reply.headers;
  assert.match(String(policies), new RegExp(`^"${policy}";q=\\d+;w=\\d+$`));
  assert.match(String(ratelimit), new RegExp(`^"${policy}";r=0;t=${retryAfter}$`));
  assert.match(retryAfter ?? "", /^[1-9]\d*$/);
  return Number(retryAfter) * 1_000;
}

describe("the limit of an organization", () => {
  it("is in every reply, and counts down", async () => {
    const { token } = await scene.makeCustomer();
    const ask = { ...probe, token };
    const left: unknown[] = [];
    for (let sent = 0; sent < 4; sent += 1) {
      const { headers } = await client.send(ask);
      assert.equal(headers["ratelimit-policy"], '"organization";q=10;w=2');
      left.push(headers["ratelimit"]);
    }
    const expected = ["r=9;t=1", "r=8;t=1", "r=7;t=1", "r=6;t=1"];
    assert.deepEqual(
      left,
      expected.map((state) => `"organization";${state}`),
    );
  });

  it("is shared by all its tokens and keys, and by no other organization", async () => {
    const customer = await scene.makeCustomer();
    const { organizationId } = customer;
    const { secret } = await createKey(scene.service.app, { organizationId });
    const headers = { authorization: secret };
    const body = tokenRequest(customer);
    const issued = await client.send({ method: "POST", path: "/auth/token", headers, body });
    assert.deepEqual(await statuses(10, { ...probe, token: customer.token }), times(10, 404));
    const second = issued.body.token ?? "";
    assert.deepEqual(await statuses(1, { ...probe, token: second }), [429]);
    const other = await scene.makeCustomer();
    assert.deepEqual(await statuses(1, { ...probe, token: other.token }), [404]);
  });

  it("also counts requests that are refused for other reasons", async () => {
    const { token } = await scene.makeCustomer({ scopes: ["person:read"] });
    assert.deepEqual(await statuses(11, { ...probe, token }), [...times(10, 403), 429]);
  });

  it("counts what was decoded of a body that is refused while it is read", async () => {
    const blanks = gzipSync(Buffer.alloc(limits.bodyBytesMax + 1, " "));
    for (const [body, status] of [
      [blanks, 413],
      [gzipSync(Buffer.alloc(8_000_000, " ")).subarray(0, -100), 400],
    ] as const) {
      const { token } = await scene.makeCustomer();
      const headers = { "content-encoding": "gzip", "content-type": "application/json" };
      const path = "/v2/transactions/batch";
      const refused = await client.send({ method: "POST", path, token, headers, body });
      assert.equal(refused.status, status, refused.text);
      assert.equal((await client.send({ ...probe, token })).status, 429);
    }
  });

  it("follows the operator's changes within 2 seconds", async () => {
    const { token, organizationId } = await scene.makeCustomer();
    await client.send({ ...probe, token });
    await changeOrganization(scene.service.app, organizationId, { rateLimitPerSecond: 50 });
    await waitFor("the new limit", async () => {
      clock.advanceMs(1_000);
      const { headers } = await client.send({ ...probe, token });
      return headers["ratelimit-policy"] === '"organization";q=100;w=2';
    });
  });

  it("never stops an admitted write, and no refused request writes", async () => {
    const { token, organizationId } = await scene.makeCustomer({ rateLimitPerSecond: 2 });
    const asks = Array.from({ length: 12 }, () => {
      const body = scene.records.record(typeNamed("person"));
      return client.send({ method: "POST", path: "/v2/person", token, body });
    });
    const replies = await Promise.all(asks);
    const written = replies.filter(({ status }) => status === 201).length;
    assert.equal(written, 4);
    assert.equal(replies.filter(({ status }) => status === 429).length, 8);
    const counts = await scene.service.app.store.countRecords(organizationId);
    assert.equal(counts["person"], 4);
  });
});

function issue(customer: Customer, path = "/auth/token"): Ask {
  const headers = { authorization: customer.apiKey };
  return { method: "POST", path, headers, body: tokenRequest(customer) };
}

describe("the limit of token issuing", () => {
  it("is 60 a minute for each key, at both paths together, and recovers", async () => {
    const customer = await scene.makeCustomer();
    assert.deepEqual(await statuses(30, issue(customer)), times(30, 200));
    assert.deepEqual(await statuses(29, issue(customer, "/v2/auth/token")), times(29, 200));
    const refused = await client.send(issue(customer));
    clock.advanceMs(assertLimited(refused, "token-issuing"));
    assert.deepEqual(await statuses(2, issue(customer)), [200, 429]);
    clock.advanceMs(60_000);
    assert.deepEqual(await statuses(61, issue(customer)), [...times(60, 200), 429]);
  });
});

describe("the limit of failed authentication", () => {
  const wrong = "Bearer wrong";

  it("is 20 a minute for each address, whatever was tried, and recovers", async () => {
    const address = fromNewAddress();
    const { apiKey } = await scene.makeCustomer();
    const tries: Ask[] = [
      { ...probe, headers: address },
      { ...probe, headers: { ...address, authorization: wrong } },
      { ...probe, headers: { ...address, authorization: apiKey } },
      { method: "POST", path: "/auth/token", headers: { ...address, authorization: wrong } },
    ];
    for (const ask of tries) assert.deepEqual(await statuses(5, ask), times(5, 401));
    for (const ask of tries) {
      assertLimited(await client.send(ask), "failed-authentication");
    }
    const [first = probe] = tries;
    clock.advanceMs(assertLimited(await client.send(first), "failed-authentication"));
    assert.deepEqual(await statuses(2, first), [401, 429]);
  });

  it("does not affect clients with a credential, at the same address", async () => {
    const headers = fromNewAddress();
    await statuses(25, { ...probe, headers: { ...headers, authorization: wrong } });
    const { token } = await scene.makeCustomer();
    assert.equal((await client.send({ ...probe, headers, token })).status, 404);
  });
});

describe("an address behind a proxy", () => {
  it("counts as the proxy's where no proxy is trusted", async () => {
    const open = await startScene({ environment: { TRUST_PROXY: "off" } });
    const found: number[] = [];
    for (let sent = 0; sent < 21; sent += 1) {
      found.push((await open.client.send({ ...probe, headers: fromNewAddress() })).status);
    }
    await open.stop();
    assert.deepEqual(found, [...times(20, 401), 429]);
  });
});
