// Lists with `Prefer: handling=lenient` (RFC 7240): each item is evaluated separately, and the reply has a result for
// each. Idempotency-Key at every operation that writes: the first reply is returned again, and any other request is
// refused.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { limits } from "../../src/domain/limits.ts";
import type { RecordType } from "../../src/domain/record-type.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import type { Ask, Reply } from "../support/http-client.ts";
import { assertCode, idOf, listPathOf, pathOf, startScene, typeNamed } from "./scene.ts";
import { operations } from "../../src/process/operations.ts";
import { goodRequest } from "./good-request.ts";

const scene = await startScene();
const { records } = scene;
const customer = await scene.makeCustomer({ deletionGraceSeconds: 3_600 });
after(() => scene.stop());

function send(method: "POST" | "PUT", type: RecordType, body: unknown): Promise<Reply> {
  const headers = { prefer: "handling=lenient" };
  return scene.ask(customer, { method, path: listPathOf(type), headers, body });
}

function outcomes(reply: Reply): unknown[] {
  return reply.body.results?.map(({ index, status, code }) => [index, status, code]) ?? [];
}

for (const type of recordTypes) {
  const isBatch = type.batchPath !== undefined;

  describe(`a lenient list of ${type.resourceType}`, () => {
    it("is added except for the refused items, each with the reason", async () => {
      const [first = {}, second = {}, third = {}] = [0, 1, 2].map(() => records.record(type));
      const broken = { ...second, timestamp: "never" };
      const reply = await send("POST", type, [first, broken, null, first, third]);
      assert.equal(reply.status, isBatch ? 200 : 201, reply.text);
      assert.deepEqual(outcomes(reply), [
        [0, "created", undefined],
        [1, "refused", 40000],
        [2, "refused", 40000],
        isBatch ? [3, "unchanged", undefined] : [3, "refused", 40901],
        [4, "created", undefined],
      ]);
      assert.deepEqual([reply.body.write_count, reply.body.success], [2, true]);
      assert.equal(reply.headers["preference-applied"], "handling=lenient");
      const [one, refused, none] = reply.body.results ?? [];
      assert.deepEqual(one, { index: 0, id: idOf(type, first), status: "created" });
      assert.deepEqual(
        refused?.errors?.map(({ field }) => field),
        ["timestamp"],
      );
      assert.equal(refused?.id, idOf(type, second));
      assert.ok((refused?.message ?? "").length > 0);
      assert.equal(none !== undefined && "id" in none, false);
      assert.deepEqual(
        [
          await scene.exists(customer, type, first),
          await scene.exists(customer, type, second),
          await scene.exists(customer, type, third),
        ],
        [true, false, true],
      );
    });

    it("is updated except for the items that do not exist", async () => {
      const record = await scene.addRecord(customer, type);
      const id = idOf(type, record);
      const strange = records.update(type, records.id(type));
      const reply = await send("PUT", type, [
        strange,
        records.update(type, id),
        { [type.idField]: id },
      ]);
      assert.equal(reply.status, 200);
      assert.deepEqual(outcomes(reply), [
        [0, "refused", 40401],
        [1, "updated", undefined],
        [2, "refused", 40000],
      ]);
      assert.equal(reply.body.write_count, 1);
    });

    it("succeeds even when every item is refused", async () => {
      const reply = await send("POST", type, [{}, {}]);
      assert.equal(reply.status, isBatch ? 200 : 201);
      assert.deepEqual([reply.body.write_count, reply.body.results?.length], [0, 2]);
    });

    it("distinguishes an item that is too large from an invalid one", async () => {
      const additional_properties = Array.from({ length: 70 }, (_, index) => ({
        key: `${index}`,
        value: "x".repeat(1_024),
        type: "STRING",
      }));
      const large = records.record(type, { additional_properties });
      const reply = await send("POST", type, [large, records.record(type)]);
      assert.deepEqual(outcomes(reply), [
        [0, "refused", 41301],
        [1, "created", undefined],
      ]);
    });

    if (isBatch) return;

    it("can be one object", async () => {
      const record = records.record(type);
      const reply = await send("POST", type, record);
      assert.deepEqual(outcomes(reply), [[0, "created", undefined]]);
      assert.deepEqual(outcomes(await send("POST", type, record)), [[0, "refused", 40901]]);
    });
  });
}

const person = typeNamed("person");
const transaction = typeNamed("transaction");

describe("lenient handling", () => {
  it("names at most a hundred errors of an item", async () => {
    const unknown = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`zz${at}`, 1]));
    const reply = await send("POST", person, [{ ...records.record(person), ...unknown }]);
    assert.equal(reply.body.results?.[0]?.errors?.length, limits.fieldErrorsMax);
  });

  it("refuses only the record that has an open deletion", async () => {
    const [one, other] = [
      await scene.addRecord(customer, person),
      await scene.addRecord(customer, person),
    ];
    const body = { person_id: idOf(person, one), reason: "a test" };
    const asked = await scene.ask(customer, { method: "DELETE", path: pathOf(person), body });
    assert.equal(asked.status, 200);
    const reply = await send(
      "PUT",
      person,
      [one, other].map((record) => records.update(person, idOf(person, record))),
    );
    assert.deepEqual(outcomes(reply), [
      [0, "refused", 40903],
      [1, "updated", undefined],
    ]);
  });

  it("is not applied where it was not requested", async () => {
    const list = [records.record(person), {}];
    for (const prefer of ["handling=strict", "respond-async", "handling"]) {
      const headers = { prefer };
      const reply = await scene.ask(customer, {
        method: "POST",
        path: pathOf(person),
        headers,
        body: list,
      });
      assert.equal(reply.status, 400);
      assert.equal(reply.headers["preference-applied"], undefined);
    }
  });

  it("has no effect where one transaction is sent", async () => {
    const headers = { prefer: "handling=lenient" };
    const body = records.record(transaction);
    const ask = { method: "POST", path: pathOf(transaction), headers, body };
    const reply = await scene.ask(customer, ask);
    assert.equal(reply.status, 201);
    assert.equal(reply.body.results, undefined);
    assert.equal(reply.headers["preference-applied"], undefined);
    assert.equal((await scene.ask(customer, ask)).body.code, 40901);
  });
});

const writing = operations.filter(
  ({ method, permission }) => method !== "GET" && permission !== undefined,
);
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
      assertCode(refused, 42201);
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
    assert.equal(await scene.changesOf(customer, person, record), 2);
    assert.equal((await scene.client.send(ask)).status, 200);
  });
});
