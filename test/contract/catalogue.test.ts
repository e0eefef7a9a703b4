// The catalogue of errors, each produced over HTTP by a caller's request or a state of the service:
// one row per name, and a check that none is missing.

import assert from "node:assert/strict";
import { after, describe, it, mock } from "node:test";
import { makeCredential } from "../../src/actions/credential.ts";
import { revokeKey } from "../../src/actions/access/keys.ts";
import { allErrors } from "../../src/process/tables.ts";
import { sampled } from "../feature/samples.ts";
import { limits } from "../../src/domain/limits.ts";
import { fetchToken } from "../support/customer.ts";
import type { Reply } from "../support/http-client.ts";
import { exchangeRaw, openRaw } from "../support/raw-socket.ts";
import { parseReply } from "../support/raw-replies.ts";
import { waitFor } from "../support/wait-for.ts";
import { offsetGone } from "../../src/http/openapi/error-responses.ts";
import { operations } from "../../src/process/operations.ts";
import { tokenRequest } from "./good-request.ts";
import { corruptions } from "./invalid-request.ts";
import { check, fromNewAddress, pathOf, startScene, typeNamed } from "./scene.ts";

// The check for slow requests runs at an interval; here it runs when the test says so.
mock.timers.enable({ apis: ["setInterval"] });
const scene = await startScene();
const { client, service, records } = scene;
const customer = await scene.makeCustomer({ deletionGraceSeconds: 3_600 });
const person = typeNamed("person");
const path = pathOf(person);
after(() => scene.stop());

function post(body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  return scene.ask(customer, { method: "POST", path, body, headers });
}

function withToken(token: string): Promise<Reply> {
  return client.send({ method: "GET", path, token, headers: fromNewAddress() });
}

function issue(body: unknown): Promise<Reply> {
  const headers = { authorization: customer.apiKey };
  return client.send({ method: "POST", path: "/auth/token", headers, body });
}

async function raw(lines: readonly string[]): Promise<Reply> {
  return parseReply(await exchangeRaw(client.address, `${lines.join("\r\n")}\r\n\r\n`));
}

const producers: Readonly<Record<string, () => Promise<Reply>>> = {
  validation_failed: () => post({}),
  malformed_json: () => post("{"),
  unknown_scope: () => issue(tokenRequest(customer, ["everything:always"])),
  malformed_http: () => raw(["NONSENSE"]),
  credential_missing: () => client.send({ method: "GET", path, headers: fromNewAddress() }),
  credential_invalid: () => withToken(makeCredential("access_token")),
  credential_expired: async () => {
    const token = await fetchToken(client, customer, { expirySeconds: 300 });
    service.clock.advanceMs(300_000);
    return withToken(token);
  },
  credential_revoked: async () => {
    const other = await scene.makeCustomer();
    await revokeKey(service.app, other.keyId);
    return withToken(other.token);
  },
  credential_wrong_kind: () => withToken(customer.apiKey),
  insufficient_scope: async () => {
    return withToken(await fetchToken(client, customer, { scopes: ["company:read"] }));
  },
  other_organization: () => issue(tokenRequest({ ...customer, organizationId: "another" })),
  no_such_record: () => check(scene, customer, { type: person, id: "nobody" }),
  no_such_deletion: () => {
    const query = { deletion_request_id: "nothing" };
    return scene.ask(customer, { method: "GET", path: "/v2/deletion_request", query });
  },
  no_such_operation: () => scene.ask(customer, { method: "GET", path: "/v2/nothing" }),
  method_not_allowed: () => scene.ask(customer, { method: "PATCH", path }),
  // Half of a body; minutes pass until the watch has ended the request.
  request_timeout: () => endedByWatch('{"half":', 100),
  identical_record_exists: async () => post(await scene.addRecord(customer, person)),
  record_exists: async () => {
    const record = await scene.addRecord(customer, person);
    return post({ ...record, timestamp: "2019-01-01T00:00:00Z" });
  },
  deletion_open: async () => {
    const record = await scene.addRecord(customer, person);
    const body = { person_id: record["person_id"], reason: "a test" };
    await scene.ask(customer, { method: "DELETE", path, body });
    return post(record);
  },
  idempotency_in_flight: async () => {
    const held = service.holdStore("writeRecords");
    const record = records.record(person);
    const first = post(record, { "idempotency-key": "in flight" });
    await held.called;
    const reply = await post(record, { "idempotency-key": "in flight" });
    held.release();
    await first;
    return reply;
  },
  offset_gone: async () => {
    const operation = operations.find(({ errors }) => errors.includes(offsetGone));
    assert.ok(operation !== undefined);
    return client.send(await corruptions[410].corrupt(scene, customer, operation));
  },
  too_large: () => post(Array.from({ length: limits.batchItemsMax + 1 }, () => ({}))),
  content_type: () => post("person_id,name", { "content-type": "text/csv" }),
  idempotency_reused: async () => {
    await post(records.record(person), { "idempotency-key": "reused" });
    return post(records.record(person), { "idempotency-key": "reused" });
  },
  rate_limited: async () => {
    const { token } = await scene.makeCustomer({ rateLimitPerSecond: 1 });
    await Promise.all([withToken(token), withToken(token)]);
    return withToken(token);
  },
  headers_too_large: () => raw([`GET / HTTP/1.1`, "host: x", `a: ${"x".repeat(20_000)}`]),
  internal: async () => {
    const restore = service.breakStore("findRecord", new Error("disk on fire"));
    const reply = await check(scene, customer, { type: person, id: "nobody" });
    restore();
    return reply;
  },
  unavailable: async () => {
    const restore = service.breakStore("probeWrite", new Error("disk on fire"));
    // An earlier answer is cached for a second.
    const reply = await waitFor("the service not to be ready", async () => {
      const answer = await client.send({ method: "GET", path: "/health/ready" });
      return answer.status === 503 ? answer : undefined;
    });
    restore();
    return reply;
  },
};

async function endedByWatch(body: string, length: number): Promise<Reply> {
  const { socket, closed, received } = openRaw(client.address);
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${customer.token}\r\nx-request-id: slow\r\n` +
      `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`,
  );
  let passedMs = 0;
  const real = performance.now.bind(performance);
  const later = mock.method(performance, "now", () => real() + passedMs);
  const look = () => {
    mock.timers.tick(5_000);
    passedMs += limits.bodyTimeoutMs;
    return received() === "" ? undefined : true;
  };
  const timeoutMs = 500 * limits.bodyTimeoutMs;
  await waitFor("the watch to end the request", look, { timeoutMs });
  later.mock.restore();
  const reply = parseReply(await closed);
  assert.equal(reply.headers["x-request-id"], "slow");
  return reply;
}

const ofFeatures = sampled("errors");
/** Whether an operation reads from a place in the changes, where offset_gone can happen. */
const readsChanges = operations.some(({ errors }) => errors.includes(offsetGone));
const catalogue = Object.entries(allErrors).filter(
  ([name]) => readsChanges || name !== "offset_gone",
);
const seen = new Set<number>();

describe("every error of the catalogue", () => {
  for (const [name, { code }] of catalogue) {
    it(`is produced: ${code} ${name}`, async () => {
      const produce = producers[name] ?? (() => ofFeatures[name]?.(scene, customer));
      const reply = await produce();
      assert.ok(reply !== undefined, "nothing produces it");
      assert.equal(reply.body.code, code, reply.text);
      assert.equal(reply.status, Math.floor(code / 100));
      assert.ok((reply.body.message ?? "").length > 10);
      assert.ok(reply.headers["x-request-id"] !== undefined);
      seen.add(code);
    });
  }
});

describe("a request that takes too long in the service, though its body arrived completely", () => {
  it("is answered with 503", async () => {
    const held = service.holdStore("writeRecords");
    const body = JSON.stringify({ ...person.example, person_id: "slow" });
    const reply = await endedByWatch(body, Buffer.byteLength(body));
    assert.deepEqual([reply.status, reply.body.code], [503, 50301]);
    held.release();
  });
});

/**
 * Codes of the catalogue that were not seen, and codes that were seen and are not in the catalogue.
 */
function difference(found: ReadonlySet<number>): number[] {
  const known = new Set<number>(catalogue.map(([, { code }]) => code));
  return [...known.symmetricDifference(found)];
}

describe("the check of the catalogue", () => {
  it("finds every code seen, and each used once", () => {
    assert.deepEqual(difference(seen), []);
    assert.equal(seen.size, catalogue.length);
  });
});

describe("the codes that the contract names", () => {
  it("are all in the catalogue", () => {
    const named = [
      40000, 40001, 40002, 40101, 40102, 40103, 40104, 40105, 40301, 40302, 40401, 40402, 40403,
      40501, 40901, 40902, 40903, 40904, 41301, 41501, 42201, 42901, 50001, 50301,
    ];
    assert.deepEqual(new Set(named).difference(seen), new Set());
  });
});
