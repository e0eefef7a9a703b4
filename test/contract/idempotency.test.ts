// Idempotency-Key at every operation that writes: the first reply is returned again, and any other
// request is refused.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { showRecord } from "../../src/actions/record/show-record.ts";
import type { RecordType } from "../../src/domain/record-type.ts";
import { operations } from "../../src/process/operations.ts";
import type { Ask, Reply } from "../support/http-client.ts";
import type { Fields } from "../support/record-generator.ts";
import { goodRequest } from "./good-request.ts";
import { idOf, listPathOf, pathOf, startScene, typeNamed } from "./scene.ts";

const scene = await startScene();
const { records } = scene;
const customer = await scene.makeCustomer({ deletionGraceSeconds: 3_600 });
const { organizationId } = customer;
after(() => scene.stop());

const writing = operations.filter(
  ({ method, permission }) => method !== "GET" && permission !== undefined,
);
const person = typeNamed("person");
let keys = 0;

function newKey(): string {
  keys += 1;
  return `key ${keys}`;
}

function withKey(ask: Ask, key: string): Ask {
  return { ...ask, headers: { ...ask.headers, "idempotency-key": key } };
}

function assertSame(reply: Reply, first: Reply): void {
  assert.equal(reply.status, first.status, reply.text);
  assert.equal(reply.text, first.text);
  assert.equal(reply.headers["preference-applied"], first.headers["preference-applied"]);
}

function post(type: RecordType, body: unknown, headers: Ask["headers"] = {}): Ask {
  return { method: "POST", path: listPathOf(type), token: customer.token, body, headers };
}

async function changesOf(type: RecordType, record: Fields): Promise<number> {
  const key = { organizationId, resourceType: type.resourceType, resourceId: idOf(type, record) };
  return (await showRecord(scene.service.app, key)).changes.length;
}

for (const operation of writing) {
  describe(operation.name, () => {
    it("returns the first reply again, byte for byte, with no further effect", async () => {
      const ask = withKey(await goodRequest(scene, customer, operation), newKey());
      const first = await scene.client.send(ask);
      assert.equal(first.status, operation.success, first.text);
      for (const _ of [1, 2]) assertSame(await scene.client.send(ask), first);
    });

    it("is refused when another request uses the key, which then still returns the first reply", async () => {
      const ask = withKey(await goodRequest(scene, customer, operation), newKey());
      const first = await scene.client.send(ask);
      const other = { ...ask, body: `${JSON.stringify(ask.body)} ` };
      const refused = await scene.client.send(other);
      assert.deepEqual([refused.status, refused.body.code], [422, 42201]);
      assertSame(await scene.client.send(ask), first);
    });
  });
}

describe("an Idempotency-Key", () => {
  it("is separate for each organization even while it is in flight", async () => {
    const other = await scene.makeCustomer();
    const key = newKey();
    const held = scene.service.holdStore("writeRecords");
    const asks = [customer.token, other.token].map((token) => ({
      ...withKey(post(person, records.record(person)), key),
      token,
    }));
    const replies = Promise.all(asks.map((ask) => scene.client.send(ask)));
    await held.called;
    await scene.client.send({ method: "GET", path: pathOf(person), token: other.token });
    held.release();
    assert.deepEqual(
      (await replies).map(({ status }) => status),
      [201, 201],
    );
  });

  for (const [length, status] of [
    [0, 400],
    [1, 201],
    [255, 201],
    [256, 400],
  ] as const) {
    it(`of ${length} characters is answered with ${status}`, async () => {
      const key = "x".repeat(length);
      const reply = await scene.client.send(withKey(post(person, records.record(person)), key));
      assert.equal(reply.status, status, reply.text);
      if (status === 400) assert.equal(reply.body.errors?.[0]?.field, "Idempotency-Key");
    });
  }

  it("is refused if it is sent twice, even with valid values", async () => {
    const record = records.record(person);
    const twice = post(person, record, { "idempotency-key": ["one", "two"] });
    const reply = await scene.client.send(twice);
    assert.equal(reply.status, 400, reply.text);
    assert.equal(reply.body.errors?.[0]?.field, "Idempotency-Key");
    const one = await scene.client.send(withKey(post(person, record), "one, two"));
    assert.equal(one.status, 201, one.text);
  });

  it("returns the results of a lenient list again, refusals included", async () => {
    const list = [records.record(person), { person_id: "broken" }, records.record(person)];
    const [first = {}] = list;
    await scene.client.send(post(person, first));
    const ask = withKey(post(person, list, { prefer: "handling=lenient" }), newKey());
    const reply = await scene.client.send(ask);
    assert.deepEqual(
      reply.body.results?.map(({ status, code }) => [status, code]),
      [
        ["refused", 40901],
        ["refused", 40000],
        ["created", undefined],
      ],
    );
    assertSame(await scene.client.send(ask), reply);
  });

  it("returns the reply to a list of thousands again", async () => {
    const list = Array.from({ length: 2_000 }, () => records.record(typeNamed("customer_sar")));
    const ask = withKey(post(typeNamed("customer_sar"), list), newKey());
    const reply = await scene.client.send(ask);
    assert.equal(reply.body.write_count, 2_000);
    assertSame(await scene.client.send(ask), reply);
  });
});

describe("a refusal under an Idempotency-Key", () => {
  it("is not stored when it was 400, 413 or 415: the key is free for the corrected request", async () => {
    const key = newKey();
    const record = records.record(person);
    const broken: readonly (readonly [Ask, number])[] = [
      [post(person, { ...record, timestamp: "never" }), 400],
      [post(person, "{"), 400],
      [post(person, record, { "content-type": "text/plain" }), 415],
      [post(person, { ...record, name: "x".repeat(1_025) }), 400],
      [post(person, [record, {}]), 400],
      [
        post(
          person,
          Array.from({ length: 10_001 }, () => 0),
        ),
        413,
      ],
    ];
    for (const [ask, status] of broken) {
      assert.equal((await scene.client.send(withKey(ask, key))).status, status);
    }
    assert.equal((await scene.client.send(withKey(post(person, record), key))).status, 201);
  });

  it("is not stored when it was a server error", async () => {
    const ask = withKey(post(person, records.record(person)), newKey());
    const restore = scene.service.breakStore("writeRecords", new Error("disk full"));
    assert.equal((await scene.client.send(ask)).status, 500);
    restore();
    assert.equal((await scene.client.send(ask)).status, 201);
  });
});

describe("concurrent requests under one Idempotency-Key", () => {
  it("write once; the others get the same reply or are told to wait", async () => {
    const record = await scene.addRecord(customer, person);
    const body = records.update(person, idOf(person, record));
    const ask = withKey({ ...post(person, body), method: "PUT" }, newKey());
    const replies = await Promise.all(Array.from({ length: 20 }, () => scene.client.send(ask)));
    const done = replies.filter(({ status }) => status === 200);
    const waiting = replies.filter(({ body: { code } }) => code === 40904);
    assert.ok(done.length >= 1);
    assert.equal(done.length + waiting.length, 20);
    for (const reply of done) assert.equal(reply.text, done[0]?.text);
    for (const { headers } of waiting) assert.equal(headers["retry-after"], "1");
    assert.equal(await changesOf(person, record), 2);
    assert.equal((await scene.client.send(ask)).status, 200);
  });
});
