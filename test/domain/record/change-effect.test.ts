// What each change of a record changed, field by field, in the order of arrival.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findEffects } from "../../../src/domain/record/merge.ts";
import { arrived } from "./arrived.ts";
import { typeNamed } from "../../conformance/scene.ts";

const transaction = typeNamed("transaction");
const at = (second: string) => `2026-01-01T00:00:${second}Z`;

describe("the effects of the changes of a record", () => {
  const payloads = [
    { tx_id: "t", status: "CREATED", amount: 1, sender_id: "s", timestamp: at("01") },
    { tx_id: "t", status: "SETTLED", sender_id: null, timestamp: at("03") },
    { tx_id: "t", status: "PENDING", amount: 2, timestamp: at("02") },
    { tx_id: "t", status: "FAILED", timestamp: at("01") },
    { tx_id: "t", is_test: true, timestamp: at("04") },
  ];
  const changes = arrived(transaction, payloads);

  it("are the fields whose value was another before, without id and timestamp", () => {
    const [first, second] = findEffects(transaction, changes, []);
    assert.deepEqual(first?.fields, [
      { field: "amount", before: undefined, after: 1 },
      { field: "status", before: undefined, after: "CREATED" },
      { field: "sender_id", before: undefined, after: "s" },
    ]);
    assert.deepEqual(second?.fields, [
      { field: "status", before: "CREATED", after: "SETTLED" },
      { field: "sender_id", before: "s", after: undefined },
    ]);
    assert.equal(second?.happenedAt, "2026-01-01T00:00:03");
  });

  it("are only those that a later timestamp does not prevent", () => {
    const [, , late, without, flag] = findEffects(transaction, changes, []);
    assert.deepEqual(late?.fields, [{ field: "amount", before: 1, after: 2 }]);
    assert.deepEqual(without?.fields, []);
    assert.deepEqual(flag?.fields, [{ field: "is_test", before: false, after: true }]);
  });

  it("are the same when the changes before them are given separately", () => {
    for (let from = 0; from <= changes.length; from += 1) {
      const parts = findEffects(transaction, changes.slice(from), changes.slice(0, from));
      assert.deepEqual(parts, findEffects(transaction, changes, []).slice(from));
    }
  });
});
