// The model of an erasure that the campaign compares with, on the smallest families that
// distinguish its rules.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { recordTypeByName } from "../../src/domain/record-types.ts";
import type { Fields } from "../support/record-generator.ts";
import { applyErasure, countGone } from "./erasure-model.ts";
import { type AskedDeletion, Ledger, type SentRecord, textOf } from "./ledger.ts";

const timestamp = "2026-01-31T09:30:00Z";

function makeFamily(...payloads: readonly (readonly [string, Fields])[]): AskedDeletion {
  const ledger = new Ledger();
  const family = payloads.map(([name, fields]): SentRecord => {
    const type = recordTypeByName(name) ?? assert.fail();
    const record = ledger.record(type, { organizationId: "o", id: String(fields[type.idField]) });
    ledger.change(record, { ...fields, timestamp }).standing = "stored";
    return record;
  });
  return {
    target: family[0] ?? assert.fail(),
    family,
    ask: { method: "DELETE", path: "" },
    sender: "",
    idempotent: false,
    deletionRequestId: "d",
    standing: "open",
    late: [],
  };
}

describe("the model of an erasure", () => {
  it("cascades to what belongs to nothing else, at any depth", () => {
    const deletion = makeFamily(
      ["transaction", { tx_id: "t" }],
      ["transaction_check", { check_id: "c", related_tx_ids: ["t"] }],
      ["transaction_alert", { alert_id: "a", related_check_id: "c" }],
    );
    assert.deepEqual(countGone(deletion), {
      transaction: 1,
      transaction_check: 1,
      transaction_alert: 1,
    });
    applyErasure(deletion);
    assert.ok(deletion.family.every(({ changes }) => changes[0]?.standing === "erased"));
  });

  it("keeps what also belongs to something else, without the reference", () => {
    const deletion = makeFamily(
      ["transaction", { tx_id: "t" }],
      ["transaction", { tx_id: "u" }],
      ["transaction_check", { check_id: "c", related_tx_ids: ["t", "u"], related_tx_id: "t" }],
    );
    assert.deepEqual(countGone(deletion), { transaction: 1 });
    applyErasure(deletion);
    const [change] = deletion.family[2]?.changes ?? [];
    assert.ok(change !== undefined);
    assert.deepEqual(JSON.parse(textOf(change)), {
      check_id: "c",
      related_tx_ids: ["u"],
      timestamp,
    });
  });

  it("keeps a person that only mentions its company, without the mention", () => {
    const deletion = makeFamily(
      ["company", { company_id: "k" }],
      ["person", { person_id: "p", related_company_id: "k" }],
    );
    assert.deepEqual(countGone(deletion), { company: 1 });
    applyErasure(deletion);
    const [change] = deletion.family[1]?.changes ?? [];
    assert.ok(change !== undefined);
    assert.deepEqual(JSON.parse(textOf(change)), { person_id: "p", timestamp });
  });
});
