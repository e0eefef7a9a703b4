// `Prefer: handling=lenient, verdicts=single`: each item of a list gets the verdict of a request with only this item,
// whatever the size of the list, and has the effect of that request under its own Idempotency-Key.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { RecordType } from "../../src/domain/record-type.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import type { Customer } from "../support/customer.ts";
import type { Reply } from "../support/http-client.ts";
import type { Fields } from "../support/record-generator.ts";
import { idOf, listPathOf, pathOf, startScene, typeNamed } from "./scene.ts";

const scene = await startScene();
const { records } = scene;
const [listed, alone] = [await scene.makeCustomer(), await scene.makeCustomer()];
after(() => scene.stop());

type Method = "POST" | "PUT";
const prefer = "handling=lenient, verdicts=single";

interface Sent {
  readonly customer?: Customer;
  readonly key?: string;
}

function sendList(method: Method, type: RecordType, body: unknown, sent: Sent = {}) {
  const { customer = listed, key } = sent;
  const headers = { prefer, ...(key && { "idempotency-key": key }) };
  return scene.ask(customer, { method, path: listPathOf(type), headers, body });
}

function sendOne(method: Method, type: RecordType, body: unknown, sent: Sent = {}) {
  const { customer = alone, key } = sent;
  const headers = key === undefined ? {} : { "idempotency-key": key };
  return scene.ask(customer, { method, path: pathOf(type), headers, body });
}

/** What a result and the reply to a single request say alike. */
function verdictOf({ status, body }: Pick<Reply, "status" | "body">): unknown {
  const { code, message, errors } = body;
  return { status, code, message, errors };
}

function verdictsOf(method: Method, reply: Reply): readonly unknown[] {
  const success = method === "POST" ? 201 : 200;
  return (reply.body.results ?? []).map(({ index: _index, id: _id, status: _status, ...body }) =>
    verdictOf({ status: body.code === undefined ? success : Math.floor(body.code / 100), body }),
  );
}

/** Some valid items, some that repeat or contradict others, and some that are invalid. */
function mixOf(method: Method, type: RecordType, count: number): readonly unknown[] {
  const known = Array.from({ length: 4 }, () => records.record(type));
  return Array.from({ length: count }, (_, index) => {
    const record = known[index % known.length] ?? {};
    if (index % 11 === 5) return { ...record, timestamp: "never", unknown_field: 1 };
    if (index % 13 === 7) return null;
    if (method === "PUT") return records.update(type, idOf(type, record));
    return index % 3 === 0 ? record : records.record(type, { [type.idField]: idOf(type, record) });
  });
}

for (const type of recordTypes) {
  describe(`the single verdicts of ${type.resourceType}`, () => {
    for (const method of ["POST", "PUT"] as const) {
      it(`are those of single requests: ${method}`, async () => {
        const items = mixOf(method, type, 24);
        const reply = await sendList(method, type, items);
        const isBatchOrUpdate = method === "PUT" || type.batchPath !== undefined;
        assert.equal(reply.status, isBatchOrUpdate ? 200 : 201, reply.text);
        assert.equal(reply.headers["preference-applied"], prefer);
        const single: unknown[] = [];
        for (const item of items) single.push(verdictOf(await sendOne(method, type, item)));
        assert.deepEqual(verdictsOf(method, reply), single);
      });
    }
  });
}

describe("a list with single verdicts", () => {
  const type = typeNamed("transaction");

  /** In one part, in several turns, and divided by the bulk thread. */
  for (const count of [20, 150, 1_500]) {
    it(`of ${count} items has each effect once, sent again and alone`, async () => {
      const items = Array.from({ length: count }, () => records.record(type));
      const key = `list-${count}`;
      const spaced = `[ ${items.map((item) => JSON.stringify(item)).join(" ,\n")}\t]`;
      const first = await sendList("POST", type, spaced, { key });
      assert.equal(first.body.write_count, count, first.text.slice(0, 400));
      const again = await sendList("POST", type, items, { key });
      assert.equal(again.text, first.text);
      const last = count - 1;
      const sent = { customer: listed, key: `${key}.${last}` };
      const single = await sendOne("POST", type, items[last], sent);
      assert.deepEqual(verdictOf(single), verdictsOf("POST", first)[last]);
      const other = await sendOne("POST", type, items[0], sent);
      assert.equal(other.body.code, 42201);
    });
  }

  it("refuses only the items of which the key was used for another request", async () => {
    const [one = {}, two = {}, three = {}]: readonly Fields[] = Array.from({ length: 3 }, () =>
      records.record(type),
    );
    assert.equal(
      (await sendOne("POST", type, one, { customer: listed, key: "used.1" })).status,
      201,
    );
    const reply = await sendList("POST", type, [two, three], { key: "used" });
    const reused = await sendOne("POST", type, three, { customer: listed, key: "used.1" });
    assert.deepEqual(verdictsOf("POST", reply)[1], verdictOf(reused));
    assert.deepEqual(
      reply.body.results?.map(({ status }) => status),
      ["created", "refused"],
    );
  });

  it("is strict without handling=lenient, and then has the verdicts of a list", async () => {
    const record = records.record(type);
    const path = listPathOf(type);
    const ask = { method: "POST", path, headers: { prefer: "verdicts=single" } } as const;
    const reply = await scene.ask(listed, { ...ask, body: [record, record] });
    assert.deepEqual(
      [reply.status, reply.body.write_count, reply.body.results],
      [200, 1, undefined],
    );
    assert.equal(reply.headers["preference-applied"], undefined);
  });
});
