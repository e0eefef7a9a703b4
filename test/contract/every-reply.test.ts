// What every reply has: its request id, the rate limit that counts, an error body of one form, also as
// application/problem+json; and the replies for unknown paths. Requests that are nearly right: the error says what was
// probably meant.

import assert from "node:assert/strict";
import { STATUS_CODES } from "node:http";
import { after, before, describe, it } from "node:test";
import { operations } from "../../src/process/operations.ts";
import type { Ask, Reply } from "../support/http-client.ts";
import { goodRequest, oneOfEachVerb } from "./good-request.ts";
import { fromNewAddress, startScene } from "./scene.ts";
import { exchangeRaw } from "../support/raw-socket.ts";

const scene = await startScene();
const { client } = scene;
const customer = await scene.makeCustomer();
const { token } = customer;
after(() => scene.stop());

const unknownRequests: readonly (readonly [string, Ask])[] = [
  ["an unknown path", { method: "GET", path: "/v2/transactoin" }],
  ["an unknown method", { method: "PATCH", path: "/v2/transaction" }],
  ["the root", { method: "GET", path: "/" }],
];

const services: readonly (readonly [string, Ask])[] = [
  ["/health/live", { method: "GET", path: "/health/live" }],
  ["/health/ready", { method: "GET", path: "/health/ready" }],
  ["/metrics", { method: "GET", path: "/metrics" }],
  ["/openapi.json", { method: "GET", path: "/openapi.json" }],
];

/**
 * One request to an operation of each verb: good, with a mistake, and without a credential; and requests to no
 * operation.
 */
async function everyKind(): Promise<readonly (readonly [string, Ask])[]> {
  const asks: (readonly [string, Ask])[] = [...unknownRequests, ...services];
  scene.service.clock.advanceMs(60_000);
  for (const operation of oneOfEachVerb(operations)) {
    const good = await goodRequest(scene, customer, operation);
    asks.push(
      [operation.name, good],
      [`${operation.name} with a mistake`, { ...good, body: "{", query: {} }],
    );
    const bare = { ...good, token: undefined, headers: fromNewAddress() };
    asks.push([`${operation.name} without a credential`, bare]);
  }
  return asks;
}

async function sendAll(more: Ask["headers"]): Promise<readonly (readonly [string, Ask, Reply])[]> {
  const replies: (readonly [string, Ask, Reply])[] = [];
  for (const [what, ask] of await everyKind()) {
    const reply = await client.send({ ...ask, headers: { ...ask.headers, ...more } });
    replies.push([what, ask, reply]);
  }
  return replies;
}

describe("every reply", () => {
  let plain: Awaited<ReturnType<typeof sendAll>> = [];
  let problems: typeof plain = [];
  before(async () => {
    plain = await sendAll({ "x-request-id": "trace:1/2" });
    // A value that is no valid id.
    problems = await sendAll({ accept: "application/problem+json", "x-request-id": "two words" });
  });

  it("has the X-Request-Id of the client, or a generated, unique one if that is invalid", () => {
    for (const [what, , { headers }] of plain) {
      assert.equal(headers["x-request-id"], "trace:1/2", what);
    }
    const ids = problems.map(([, , { headers }]) => String(headers["x-request-id"]));
    for (const id of ids) assert.match(id, /^req_[0-9a-f]{12}[0-9a-z]+$/);
    assert.equal(new Set(ids).size, ids.length);
  });

  it("is stored by no cache, except what is the same for everybody", () => {
    for (const [what, { path }, { headers }] of plain) {
      if (path === "/openapi.json") continue;
      assert.equal(headers["cache-control"], "no-store", what);
    }
  });

  it("of the API has RateLimit and RateLimit-Policy, whatever its status", () => {
    for (const [what, { path }, { status, headers }] of plain) {
      if (!path.startsWith("/v2/") && path !== "/auth/token") continue;
      assert.match(String(headers["ratelimit"]), /^"[a-z-]+";r=\d+;t=\d+$/, `${what} ${status}`);
      assert.match(String(headers["ratelimit-policy"]), /^"[a-z-]+";q=\d+;w=\d+$/, what);
    }
  });

  it("has as application/problem+json the form of RFC 9457 with the same code and errors", () => {
    for (const [index, [what, , { status, headers, body }]] of problems.entries()) {
      const type = headers["content-type"] ?? "";
      assert.equal(type.startsWith("application/problem+json"), status >= 400, what);
      const other = plain[index]?.[2];
      if (status < 400 || other === undefined) continue;
      assert.deepEqual([body["status"], body.code], [other.status, other.body.code], what);
      assert.deepEqual(body.errors, other.body.errors, what);
      assert.equal(body["type"], `urn:sluice:error:${body.code}`);
      assert.equal(body["title"], STATUS_CODES[status]);
      // A client that reads an Error can read this one.
      assert.deepEqual([body["detail"], body.message], [other.body.message, other.body.message]);
    }
  });
});

describe("errors as application/problem+json", () => {
  for (const [accept, wanted] of [
    ["application/json;q=0.4, APPLICATION/Problem+JSON;q=0.5", true],
    ["application/problem+json; q=0.001", true],
    ["application/problem+json;q=0, */*", false],
    ["application/json, application/problem+json;q=0.9", false],
    ["application/json, application/problem+json", true],
    ["application/problem+jsonx", false],
    ["*/*", false],
  ] as const) {
    it(`are ${wanted ? "" : "not "}sent to a client that accepts ${accept}`, async () => {
      const { headers } = await client.send({ method: "GET", path: "/", headers: { accept } });
      assert.equal(/problem/.test(headers["content-type"] ?? ""), wanted);
    });
  }
});

describe("an unknown path", () => {
  for (const path of ["/", "/v2/", "/v1/auth/token", "//v2/transaction", "/v2/transaction%2f"]) {
    it(`is answered with 404, and is not repeated: ${path}`, async () => {
      const reply = await client.send({ method: "GET", path, token });
      assert.deepEqual([reply.status, reply.body.code], [404, 40403]);
      assert.ok(!reply.text.includes(path) || path.length < 5);
    });
  }

  it("is answered the same without a credential, with a wrong one and with a good one", async () => {
    const ask = { method: "GET", path: "/v2/nothing" };
    const texts = new Set<string>();
    for (const authorization of [undefined, "Bearer wrong", `Bearer ${token}`]) {
      const reply = await client.send({ ...ask, headers: { ...fromNewAddress(), authorization } });
      assert.equal(reply.status, 404);
      texts.add(reply.text);
    }
    assert.equal(texts.size, 1);
  });

  it("can't be used to guess credentials: failures count, and so do an organization's requests", async () => {
    const ask = { method: "GET", path: "/v2/nothing" };
    const address = fromNewAddress();
    const statuses: number[] = [];
    for (let count = 0; count < 22; count += 1) {
      const headers = { ...address, authorization: "Bearer wrong" };
      statuses.push((await client.send({ ...ask, headers })).status);
    }
    assert.deepEqual(statuses, [...Array.from({ length: 20 }, () => 404), 429, 429]);
    const limited = await scene.makeCustomer({ rateLimitPerSecond: 1 });
    await client.send({ ...ask, token: limited.token });
    await client.send({ ...ask, token: limited.token });
    assert.equal((await client.send({ ...ask, token: limited.token })).status, 429);
  });
});

describe("the error of a request that is nearly right", () => {
  for (const [path, query, hint] of [
    ["/v2/transaction", { id: "1" }, "?tx_id=…, not ?id=…"],
    ["/v2/transaction", { txid: "1" }, "?tx_id=…, not ?txid=…"],
    ["/v2/person", { other: "1" }, "?person_id=…"],
    ["/v2/transaction/1", {}, "The id is a query parameter: /v2/transaction?tx_id=…"],
    ["/v2/deletion_request/1", {}, "/v2/deletion_request?deletion_request_id=…"],
    ["/v2/transactoin", {}, "Did you mean /v2/transaction?"],
    ["/openapi.jsn", {}, "Did you mean /openapi.json?"],
  ] as const) {
    it(`says what was probably meant: ${path} with ${JSON.stringify(query)}`, async () => {
      const reply = await scene.ask(customer, { method: "GET", path, query });
      assert.ok(reply.text.includes(hint), reply.text);
    });
  }

  for (const framing of ["Content-Length: 0", "Transfer-Encoding: chunked"]) {
    it(`says that the body of a DELETE may have been dropped: ${framing}`, async () => {
      const text = await exchangeRaw(
        scene.client.address,
        `DELETE /v2/person HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${customer.token}\r\n` +
          `Connection: close\r\n${framing}\r\n\r\n` +
          (framing.endsWith("chunked") ? "0\r\n\r\n" : ""),
      );
      assert.match(text, /send POST \/v2\/deletion_request instead/);
    });
  }
});
