// Lists of every type: all or nothing, with every invalid item named by its position; forms and
// sizes; repetition.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { limits } from "../../src/domain/limits.ts";
import type { RecordType } from "../../src/domain/record-type.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import type { Reply } from "../support/http-client.ts";
import type { Fields } from "../support/record-generator.ts";
import { assertCode, fieldsOf, idOf, listPathOf, pathOf, startScene, typeNamed } from "./scene.ts";

const scene = await startScene();
const { records } = scene;
const customer = await scene.makeCustomer();
const { organizationId } = customer;
after(() => scene.stop());

function send(method: "POST" | "PUT", type: RecordType, body: unknown): Promise<Reply> {
  return scene.ask(customer, { method, path: listPathOf(type), body });
}

function make(type: RecordType, count: number, overrides: Fields = {}): Fields[] {
  return Array.from({ length: count }, () => records.record(type, overrides));
}

for (const type of recordTypes) {
  const isBatch = type.batchPath !== undefined;
  const added = isBatch ? 200 : 201;

  describe(`a list of ${type.resourceType}`, () => {
    it("is added completely, and counted", async () => {
      const list = make(type, 25);
      const reply = await send("POST", type, list);
      assert.equal(reply.status, added, reply.text);
      const { message, ...rest } = reply.body;
      assert.deepEqual(rest, { success: true, write_count: 25, organization_id: organizationId });
      assert.match(message ?? "", /25/);
      for (const record of list) assert.ok(await scene.exists(customer, type, record));
    });

    it("is not added at all when one item is invalid, which is named by its position", async () => {
      const list = make(type, 5);
      const broken = { ...list[3], timestamp: 7, unknown_field: 1 };
      const reply = await send("POST", type, list.with(3, broken));
      assertCode(reply, 40000);
      assert.deepEqual(new Set(fieldsOf(reply)), new Set(["[3].timestamp", "[3].unknown_field"]));
      assert.match(reply.body.message ?? "", /1 of 5 items was refused; nothing was written/);
      for (const record of list) assert.equal(await scene.exists(customer, type, record), false);
    });

    it("names items that are not objects by their position only", async () => {
      const [record] = make(type, 1);
      const reply = await send("POST", type, [record, null, "text", 1, []]);
      assert.equal(reply.status, 400);
      assert.deepEqual(fieldsOf(reply), ["[1]", "[2]", "[3]", "[4]"]);
    });

    it("names the first hundred errors and says how many more there are", async () => {
      const list = make(type, 130).map((record) => ({ ...record, timestamp: "never" }));
      const reply = await send("POST", type, list);
      assert.equal(reply.status, 400);
      assert.equal(reply.body.errors?.length, limits.fieldErrorsMax);
      assert.equal(reply.body.errors[99]?.field, "[99].timestamp");
      assert.match(
        reply.body.message ?? "",
        /^130 of 130 items were refused; nothing was written\./,
      );
      assert.match(reply.body.message ?? "", /first 100 errors are listed; there are 30 more/);
    });

    it("is not updated at all when one item does not exist", async () => {
      const list = make(type, 4);
      await send("POST", type, list);
      const updates = list.map((record) => records.update(type, idOf(type, record)));
      const strange = records.update(type, records.id(type));
      const refused = await send("PUT", type, updates.with(2, strange));
      assertCode(refused, 40401);
      assert.deepEqual(fieldsOf(refused), [`[2].${type.idField}`]);
      for (const record of list) assert.equal(await scene.changesOf(customer, type, record), 1);
      const reply = await send("PUT", type, updates);
      assert.deepEqual([reply.status, reply.body.write_count], [200, 4]);
      for (const record of list) assert.equal(await scene.changesOf(customer, type, record), 2);
    });

    it("needs at least one item", async () => {
      for (const method of ["POST", "PUT"] as const) {
        const reply = await send(method, type, []);
        assertCode(reply, 40000);
      }
    });

    if (isBatch) return;

    it("is not added at all when one item exists, and distinguishes an identical one", async () => {
      const list = make(type, 4);
      const [first = {}, second = {}] = list;
      await send("POST", type, [first]);
      const same = await send("POST", type, list);
      assertCode(same, 40901);
      assert.deepEqual(fieldsOf(same), [`[0].${type.idField}`]);
      const other = { ...first, timestamp: "2018-01-01T00:00:00Z" };
      const different = await send("POST", type, [second, other]);
      assertCode(different, 40902);
      assert.deepEqual(fieldsOf(different), [`[1].${type.idField}`]);
      assert.equal(await scene.exists(customer, type, second), false);
      assert.equal(await scene.changesOf(customer, type, first), 1);
    });
  });
}

describe("the batch of transactions", () => {
  const type = typeNamed("transaction");

  it("stores a further change of what exists and skips what is identical", async () => {
    const list = make(type, 3);
    const [first = {}, second = {}, third = {}] = list;
    assert.equal((await send("POST", type, [first, second])).body.write_count, 2);
    const changed = { ...second, timestamp: "2018-01-01T00:00:00Z" };
    const reply = await send("POST", type, [first, changed, third]);
    assert.deepEqual([reply.status, reply.body.write_count], [200, 2], reply.text);
    const counts = await Promise.all(list.map((record) => scene.changesOf(customer, type, record)));
    assert.deepEqual(counts, [1, 2, 1]);
  });

  it("accepts only lists, and the path of one transaction only one", async () => {
    const [record] = make(type, 1);
    for (const method of ["POST", "PUT"] as const) {
      const one = await send(method, type, record);
      assertCode(one, 40000);
      assert.match(one.body.message ?? "", /a list of objects; send one to \/v2\/transaction\.$/);
      const list = await scene.ask(customer, { method, path: pathOf(type), body: [record] });
      assertCode(list, 40000);
      assert.match(list.body.message ?? "", /\/v2\/transactions\/batch/);
    }
  });
});

describe("the size of a list", () => {
  const type = typeNamed("risk_assessment");
  const small = (index: number) => ({ ...type.example, assessment_id: `size ${index}` });

  it("can be 10,000 items, all of which are stored", async () => {
    const list = Array.from({ length: limits.batchItemsMax }, (_, index) => small(index));
    const reply = await send("POST", type, list);
    assert.deepEqual(
      [reply.status, reply.body.write_count],
      [201, 10_000],
      reply.text.slice(0, 500),
    );
    const counts = await scene.service.app.store.countRecords(organizationId);
    assert.ok((counts[type.resourceType] ?? 0) >= 10_000);
    assert.ok(await scene.exists(customer, type, small(9_999)));
  });

  it("can't be one more", async () => {
    const list = Array.from({ length: limits.batchItemsMax + 1 }, (_, index) =>
      small(20_000 + index),
    );
    for (const name of ["risk_assessment", "transaction"]) {
      const reply = await send("POST", typeNamed(name), list);
      assertCode(reply, 41301);
      assert.match(reply.body.message ?? "", /10000 items.* 10001/);
    }
    assert.equal(await scene.exists(customer, type, small(20_000)), false);
  });

  it("can't include too many relations", async () => {
    const checks = typeNamed("transaction_check");
    const related = Array.from({ length: limits.listItemsMax }, (_, index) => `r${index}`);
    const count = Math.ceil(limits.listRowsMax / limits.listItemsMax);
    const list = Array.from({ length: count }, (_, index) => ({
      ...checks.example,
      check_id: `related ${index}`,
      related_tx_ids: related,
    }));
    for (const handling of ["strict", "lenient"]) {
      const headers = { prefer: `handling=${handling}` };
      const sendList = (body: unknown) =>
        scene.ask(customer, { method: "POST", path: pathOf(checks), body, headers });
      const reply = await sendList(list);
      assertCode(reply, 41301);
      assert.match(reply.body.message ?? "", /at most 50000 together/);
      assert.equal(await scene.exists(customer, checks, list[0] ?? {}), false);
      const part = list
        .slice(-2)
        .map((item) => ({ ...item, check_id: `${item.check_id} ${handling}` }));
      assert.equal((await sendList(part)).body.write_count, 2);
    }
  });
});

describe("a batch with several items of one record", () => {
  it("says what became of each, also when it is sent again", async () => {
    const type = typeNamed("transaction");
    const [one = {}, other = {}] = make(type, 2, { amount: 1 });
    const list = [one, { ...one, amount: 2 }, one, other];
    const headers = { "idempotency-key": "several-items" };
    const ask = { method: "POST", path: listPathOf(type), headers, body: list };
    const reply = await scene.ask(customer, ask);
    assert.equal(reply.body.write_count, 3, reply.text);
    assert.equal(
      reply.body.message,
      "2 transaction records were created, 1 further change was stored, 1 identical item was skipped.",
    );
    assert.equal((await scene.ask(customer, ask)).text, reply.text);
    const updates = [2, 3].map((amount) => ({ ...one, amount, timestamp: "2026-03-01T00:00:00Z" }));
    const updated = await send("PUT", type, updates);
    assert.equal(updated.body.message, "2 updates of transaction records were stored.");
  });

  it("says the same of a large body", async () => {
    const type = typeNamed("transaction");
    const [one = {}, ...others] = make(type, 2_000, { amount: 1 });
    const reply = await send("POST", type, [one, { ...one, amount: 2 }, ...others]);
    assert.match(
      reply.body.message ?? "",
      /^2000 [^,]+ were created, 1 further change was stored\.$/,
    );
  });
});

describe("the replies to a row of lists", () => {
  it("say what became of each, and for which organization", async () => {
    const type = typeNamed("transaction");
    const other = await scene.makeCustomer();
    const [one, two, three] = [records.record(type), records.record(type), records.record(type)];
    const later = { ...one, timestamp: "2026-03-03T00:00:00Z" };
    const replies: unknown[] = [];
    for (const [by, ...list] of [
      [customer, one],
      [customer, one],
      [customer, later],
      [customer, two],
      [customer, later, three],
      [other, one, one],
    ] as const) {
      const { body } = await scene.ask(by, { method: "POST", path: listPathOf(type), body: list });
      replies.push([by === customer, body.organization_id === by.organizationId, body.message]);
    }
    const created = "1 transaction was created";
    assert.deepEqual(replies, [
      [true, true, `${created}.`],
      [true, true, "0 transaction records were created, 1 identical item was skipped."],
      [true, true, "0 transaction records were created, 1 further change was stored."],
      [true, true, `${created}.`],
      [true, true, `${created}, 1 identical item was skipped.`],
      [false, true, `${created}, 1 identical item was skipped.`],
    ]);
  });
});
