// What an erasure cascades to, over HTTP: all related data is erased, what also belongs to others
// stays without the reference, and stored outcomes are erased too (contract, section 7).

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { showRecord } from "../../src/actions/record/show-record.ts";
import type { RecordType } from "../../src/domain/record-type.ts";
import type { Reply } from "../support/http-client.ts";
import type { Fields } from "../support/record-generator.ts";
import { check, idOf, pathOf, startScene, typeNamed } from "./scene.ts";

const scene = await startScene();
const { records } = scene;
const { app } = scene.service;
const customer = await scene.makeCustomer();
after(() => scene.stop());

function remove(type: RecordType, record: Fields): Promise<Reply> {
  const body = { [type.idField]: record[type.idField], reason: "asked by the customer" };
  return scene.ask(customer, { method: "DELETE", path: pathOf(type), body });
}

async function statusOfCheck(type: RecordType, record: Fields): Promise<number> {
  return (await check(scene, customer, { type, id: idOf(type, record) })).status;
}

/** Requests the deletion of a record and waits until it is completed; returns what was erased. */
async function erase(type: RecordType, record: Fields): Promise<unknown> {
  const asked = await remove(type, record);
  assert.equal(asked.status, 200, asked.text);
  const done = await scene.completed(customer, asked.body.deletion_request_id ?? "");
  return done.body["erased"];
}

const nothing = {
  related_tx_id: undefined,
  related_tx_ids: undefined,
  related_check_id: undefined,
  related_alert_id: undefined,
  related_person_id: undefined,
  related_company_id: undefined,
};

function add(type: RecordType, related: Fields = {}): Promise<Fields> {
  const known = Object.keys(nothing).filter((name) => type.fieldNames.includes(name));
  const none = Object.fromEntries(known.map((name) => [name, undefined]));
  return scene.addRecord(customer, type, { ...none, ...related });
}

function show(type: RecordType, record: Fields) {
  const { organizationId } = customer;
  return showRecord(app, {
    organizationId,
    resourceType: type.resourceType,
    resourceId: idOf(type, record),
  });
}

describe("all related data", () => {
  const [tx, alert, suspicion] = [
    "transaction",
    "transaction_alert",
    "transaction_suspicious_activity",
  ].map(typeNamed);
  const [txCheck, screening, person, company] = [
    "transaction_check",
    "screening",
    "person",
    "company",
  ].map(typeNamed);
  assert.ok(tx && alert && suspicion && txCheck && screening && person && company);

  it("of a transaction is erased with it, at any depth", async () => {
    const root = await add(tx);
    const checked = await add(txCheck, { related_tx_id: root["tx_id"] });
    const raised = await add(alert, { related_check_id: checked["check_id"] });
    const suspected = await add(suspicion, { related_alert_id: raised["alert_id"] });
    const screened = await add(screening, { related_tx_id: root["tx_id"] });
    assert.deepEqual(await erase(tx, root), {
      transaction: 1,
      transaction_check: 1,
      transaction_alert: 1,
      transaction_suspicious_activity: 1,
      screening: 1,
    });
    for (const [type, record] of [
      [txCheck, checked],
      [alert, raised],
      [suspicion, suspected],
      [screening, screened],
    ] as const) {
      assert.equal(await statusOfCheck(type, record), 404, type.resourceType);
    }
  });

  it("that also belongs to others stays, with the reference redacted in all its changes", async () => {
    const [gone, kept] = [await add(tx), await add(tx)];
    const both = await add(alert, { related_tx_ids: [gone["tx_id"], kept["tx_id"]] });
    const update = {
      alert_id: both["alert_id"],
      timestamp: "2026-05-01T00:00:00Z",
      related_tx_ids: [gone["tx_id"]],
    };
    await scene.ask(customer, { method: "PUT", path: pathOf(alert), body: update });
    assert.deepEqual(await erase(tx, gone), { transaction: 1 });
    assert.equal(await statusOfCheck(alert, both), 200);
    const { changes } = await show(alert, both);
    assert.doesNotMatch(
      JSON.stringify(changes),
      new RegExp(JSON.stringify(gone["tx_id"]).replaceAll(/[^\w-]/g, ".")),
    );
    assert.deepEqual(
      changes.map(({ payload }) => payload["related_tx_ids"]),
      [[kept["tx_id"]], []],
    );
    assert.deepEqual(await erase(tx, kept), { transaction: 1, transaction_alert: 1 });
  });

  for (const type of [person, company]) {
    const field = `related_${type.idField}`;
    it(`of a ${type.resourceType} is erased with it: records of every type that belong to it`, async () => {
      const root = await add(type);
      const belonging = [
        "screening",
        "risk_assessment",
        "identity_verification",
        "onboarding_flow",
        "customer_sar",
      ];
      for (const name of belonging) await add(typeNamed(name), { [field]: root[type.idField] });
      const erased = await erase(type, root);
      const expected = Object.fromEntries(
        [type.resourceType, ...belonging].map((name) => [name, 1]),
      );
      assert.deepEqual(erased, expected);
    });
  }
});

describe("a stored outcome under an Idempotency-Key", () => {
  it("is erased with the record: the same request is then a new one", async () => {
    const type = typeNamed("person");
    const body = records.record(type);
    const headers = { "idempotency-key": "kept with the record" };
    const ask = { method: "POST", path: pathOf(type), headers, body };
    assert.equal((await scene.ask(customer, ask)).status, 201);
    await erase(type, body);
    assert.equal((await scene.ask(customer, ask)).status, 201);
    assert.equal(await statusOfCheck(type, body), 200);
  });

  it("of the deletion itself stays, and creates no second one", async () => {
    const type = typeNamed("person");
    const record = await scene.addRecord(customer, type);
    const headers = { "idempotency-key": "the deletion" };
    const body = { person_id: record["person_id"], reason: "a test" };
    const ask = { method: "DELETE", path: pathOf(type), headers, body };
    const first = await scene.ask(customer, ask);
    await scene.completed(customer, first.body.deletion_request_id ?? "");
    await scene.ask(customer, { method: "POST", path: pathOf(type), body: record });
    assert.equal((await scene.ask(customer, ask)).text, first.text);
    assert.equal(await statusOfCheck(type, record), 200);
  });
});
