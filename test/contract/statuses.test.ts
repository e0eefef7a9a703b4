// Every operation with every status that it can return, from the table of record types and verbs:
// one `describe` per status, and finally a check that none is missing.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { Operation } from "../../src/http/operation.ts";
import { operations } from "../../src/process/operations.ts";
import type { Ask, Reply } from "../support/http-client.ts";
import type { StoreMethod } from "../support/store-faults.ts";
import { goodRequest } from "./good-request.ts";
import { startScene } from "./scene.ts";
import { corruptions } from "./invalid-request.ts";

const scene = await startScene();
const { client, service } = scene;
const customer = await scene.makeCustomer();
after(() => scene.stop());

type Seen = Map<string, Set<number>>;
const seen: Seen = new Map(operations.map(({ name }) => [name, new Set<number>()]));
const nameOf = new Map(operations.map(({ method, path, name }) => [`${method} ${path}`, name]));
client.observe(({ method, path }, { status }) => {
  seen.get(nameOf.get(`${method} ${path}`) ?? "")?.add(status);
});

const common = [400, 401, 403, 429, 500, 503];

/** The statuses of every operation in the contract, section 2, and those in its row. */
function statusesOf({ success, errors }: Operation): number[] {
  const stated = errors.map((error) => error.status);
  return [...new Set([success, ...common, ...stated])];
}

function answering(status: number): readonly Operation[] {
  return operations.filter((operation) => statusesOf(operation).includes(status));
}

/** Sends the request; for a GET, also a HEAD, which has to get the same reply without a body. */
async function send(ask: Ask): Promise<Reply> {
  const reply = await client.send(ask);
  if (ask.method !== "GET") return reply;
  const head = await client.send({ ...ask, method: "HEAD" });
  assert.equal(head.status, reply.status);
  assert.equal(head.text, "");
  assert.equal(head.headers["content-type"], reply.headers["content-type"]);
  assert.equal(head.headers["content-length"], reply.headers["content-length"]);
  assert.ok(head.headers["x-request-id"] !== undefined);
  return reply;
}

function assertError(reply: Reply, status: number, code: number): void {
  assert.equal(reply.status, status, reply.text);
  assert.equal(reply.body.code, code, reply.text);
  assert.ok(typeof reply.body.message === "string" && reply.body.message.length > 10, reply.text);
  assert.ok(reply.headers["x-request-id"] !== undefined);
  assert.match(reply.headers["content-type"] ?? "", /^application\/json$/);
  // A credential is asked for only where one is missing (RFC 6750, section 3).
  if (status !== 401 && status !== 403) {
    assert.equal(reply.headers["www-authenticate"], undefined);
  }
}

for (const status of [200, 201]) {
  describe(`status ${status}`, () => {
    for (const operation of operations.filter(({ success }) => success === status)) {
      it(`is the reply to a good request to ${operation.name}`, async () => {
        const reply = await send(await goodRequest(scene, customer, operation));
        assert.equal(reply.status, status, reply.text);
        assert.ok(reply.headers["x-request-id"] !== undefined);
        assert.match(reply.headers["content-type"] ?? "", /^application\/json$/);
      });
    }
  });
}

/** The codes of what else there may be none of. */
const absent: Readonly<Record<string, number>> = {
  "read deletion": 40402,
  "remove webhook endpoint": 40405,
  "remove recipient": 40404,
  acknowledge: 40404,
};

for (const [key, { code, corrupt }] of Object.entries(corruptions)) {
  const status = Number(key);
  describe(`status ${status}`, () => {
    for (const operation of answering(status)) {
      it(`is the reply of ${operation.name}`, async () => {
        const reply = await send(await corrupt(scene, customer, operation));
        assertError(reply, status, status === 404 ? (absent[operation.verb] ?? code) : code);
      });
    }
  });
}

describe("status 405", () => {
  for (const path of new Set(operations.map((operation) => operation.path))) {
    const methods = operations.filter((item) => item.path === path).map(({ method }) => method);
    const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    const others = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"];
    it(`is the reply to other methods than ${allowed.join(", ")} at ${path}`, async () => {
      for (const method of others.filter((other) => !allowed.includes(other))) {
        const reply = await client.send({ method, path, token: customer.token });
        if (method === "HEAD") assert.equal(reply.status, 405);
        else assertError(reply, 405, 40501);
        const named = (reply.headers.allow ?? "").split(", ");
        assert.deepEqual(named.toSorted(), allowed.toSorted());
      }
    });
  }
});

describe("status 409", () => {
  const held: Readonly<Record<string, StoreMethod>> = {
    "create webhook endpoint": "webhooks.createEndpoint",
    "remove webhook endpoint": "webhooks.removeEndpoint",
    "register recipient": "recipients.createRecipient",
    "remove recipient": "recipients.removeRecipient",
    acknowledge: "recipients.acknowledge",
  };
  for (const operation of answering(409)) {
    it(`is the reply of ${operation.name} while the first request with its Idempotency-Key is in flight`, async () => {
      const ask = await goodRequest(scene, customer, operation);
      const method =
        held[operation.verb] ??
        (operation.permission === "delete" ? "requestDeletion" : "writeRecords");
      const waiting = service.holdStore(method);
      const headers = { "idempotency-key": `in flight ${operation.name}` };
      const first = client.send({ ...ask, headers });
      await waiting.called;
      const second = await client.send({ ...ask, headers });
      waiting.release();
      assertError(second, 409, 40904);
      assert.equal((await first).status, operation.success);
      assert.equal((await client.send({ ...ask, headers })).status, operation.success);
    });
  }

  for (const operation of operations.filter(({ verb }) => verb === "add records")) {
    it(`is the reply of ${operation.name} when the record exists`, async () => {
      const ask = await goodRequest(scene, customer, operation);
      await client.send(ask);
      assertError(await client.send(ask), 409, 40901);
    });
  }
});

/** Exhausts the limit, and returns a request of the same caller. */
async function limit(operation: Operation, ask: Ask): Promise<Ask> {
  if (operation.permission === undefined) {
    for (let sent = 0; sent < 60; sent += 1) await client.send({ ...ask, body: {} });
    return ask;
  }
  const { token } = await scene.makeCustomer({ rateLimitPerSecond: 1 });
  const probe = { method: "GET", path: "/v2/deletion_request", token };
  await client.send(probe);
  await client.send(probe);
  return { ...ask, token };
}

describe("status 429", () => {
  for (const operation of answering(429)) {
    it(`is the reply of ${operation.name}`, async () => {
      const other = await scene.makeCustomer();
      const ask = await goodRequest(scene, other, operation);
      const limited = await limit(operation, ask);
      const reply = await send(limited);
      assertError(reply, 429, 42901);
      assert.ok(Number(reply.headers["retry-after"]) >= 1);
      assert.ok(reply.headers["ratelimit"] !== undefined);
      assert.ok(reply.headers["ratelimit-policy"] !== undefined);
    });
  }
});

describe("status 500", () => {
  const used = {
    "issue token": "createToken",
    "check record": "findRecord",
    "add records": "writeRecords",
    "append records": "writeRecords",
    "update records": "writeRecords",
    "request deletion": "requestDeletion",
    "request deletion by type": "requestDeletion",
    "read deletion": "findDeletion",
    "read changes": "settledArrival",
    "create webhook endpoint": "webhooks.createEndpoint",
    "list webhook endpoints": "webhooks.listEndpoints",
    "remove webhook endpoint": "webhooks.removeEndpoint",
    "register recipient": "recipients.createRecipient",
    "list recipients": "recipients.listRecipients",
    "remove recipient": "recipients.removeRecipient",
    acknowledge: "recipients.acknowledge",
  } as const satisfies Record<string, StoreMethod>;
  const methodOf = ({ verb }: Operation): StoreMethod => {
    const found = Object.entries(used).find(([name]) => name === verb);
    if (found === undefined) throw new Error(`there is no store method for ${verb}`);
    return found[1];
  };

  for (const operation of answering(500)) {
    it(`is the reply of ${operation.name} when the store fails, and does not reveal why`, async () => {
      const ask = await goodRequest(scene, await scene.makeCustomer(), operation);
      const error = new Error("disk /secret/path is on fire");
      const restore = service.breakStore(methodOf(operation), error);
      const reply = await send(ask);
      restore();
      assertError(reply, 500, 50001);
      assert.deepEqual(Object.keys(reply.body), ["code", "message"]);
      assert.doesNotMatch(reply.text, /fire|secret|Error/);
      const id = String(reply.headers["x-request-id"]);
      const logged = service.log.filter((line) => line.includes(id));
      assert.equal(logged.length, 1);
      assert.match(logged[0] ?? "", /on fire/);
    });
  }
});

describe("status 503", () => {
  it("is the reply of every operation while the service is shutting down", async () => {
    const asks: Ask[] = [];
    for (const operation of answering(503)) {
      asks.push(await goodRequest(scene, await scene.makeCustomer(), operation));
    }
    service.beginClosing();
    for (const ask of asks) {
      const reply = await send(ask);
      assertError(reply, 503, 50301);
      assert.equal(reply.headers["retry-after"], "1");
    }
  });
});

/** Operation and status, where the status was never returned. */
function missing(found: Seen): string[] {
  return operations.flatMap((operation) =>
    statusesOf(operation)
      .filter((status) => found.get(operation.name)?.has(status) !== true)
      .map((status) => `${operation.name} ${status}`),
  );
}

describe("the check of operations and statuses", () => {
  it("finds every one tested", () => {
    assert.deepEqual(missing(seen), []);
  });

  it("reports one that is missing", () => {
    const [first] = operations;
    assert.ok(first !== undefined);
    const less = new Map([...seen, [first.name, new Set([200])]]);
    assert.ok(missing(less).includes(`${first.name} 403`));
    assert.deepEqual(missing(new Map()).length, operations.flatMap(statusesOf).length);
  });
});
