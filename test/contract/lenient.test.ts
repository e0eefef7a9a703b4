// Lists with `Prefer: handling=lenient` (RFC 7240): each item is evaluated separately, and the
// reply has a result for each.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { limits } from "../../src/domain/limits.ts";
import type { RecordType } from "../../src/domain/record-type.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import type { Reply } from "../support/http-client.ts";
import type { Fields } from "../support/record-generator.ts";
import { check, idOf, listPathOf, pathOf, startScene, typeNamed } from "./scene.ts";

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

async function exists(type: RecordType, record: Fields): Promise<boolean> {
  return (await check(scene, customer, { type, id: idOf(type, record) })).status === 200;
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
        [await exists(type, first), await exists(type, second), await exists(type, third)],
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
