// Deletions over HTTP: requested, pending, cancelled or held by an operator, completed, and what is
// left afterwards.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { cancelDeletion } from "../../src/actions/deletion/decide-deletions.ts";
import { holdRecord, releaseHold } from "../../src/actions/retention/holds.ts";
import { deletionBasisNames } from "../../src/domain/deletion/basis.ts";
import { limits } from "../../src/domain/limits.ts";
import type { RecordType } from "../../src/domain/record-type.ts";
import { deletableTypes } from "../../src/http/verb/deletion-document.ts";
import type { Customer } from "../support/customer.ts";
import type { Ask, Reply } from "../support/http-client.ts";
import type { Fields } from "../support/record-generator.ts";
import { waitFor } from "../support/wait-for.ts";
import {
  assertCode,
  check,
  fieldsOf,
  idOf,
  listPathOf,
  pathOf,
  startScene,
  typeNamed,
} from "./scene.ts";

const scene = await startScene();
const { records } = scene;
const { app, clock } = scene.service;
/** Deletions are processed at once for one organization, and after an hour for the other. */
const prompt = await scene.makeCustomer();
const patient = await scene.makeCustomer({ deletionGraceSeconds: 3_600 });
after(() => scene.stop());

const twin = "/v2/deletion_request";

function remove(
  customer: Customer,
  type: RecordType,
  id: unknown,
  more: Fields = {},
): Promise<Reply> {
  const body = { [type.idField]: id, reason: "asked by the customer", ...more };
  return scene.ask(customer, { method: "DELETE", path: pathOf(type), body });
}

function removeByType(
  customer: Customer,
  type: RecordType,
  id: unknown,
  more: Fields = {},
): Promise<Reply> {
  const body = {
    resource_type: type.resourceType,
    resource_id: id,
    reason: "asked by the customer",
    ...more,
  };
  return scene.ask(customer, { method: "POST", path: twin, body });
}

function status(customer: Customer, deletion_request_id = ""): Promise<Reply> {
  return scene.ask(customer, { method: "GET", path: twin, query: { deletion_request_id } });
}

async function statusOfCheck(
  customer: Customer,
  type: RecordType,
  record: Fields,
): Promise<number> {
  return (await check(scene, customer, { type, id: idOf(type, record) })).status;
}

/** Requests the deletion of a record and waits until it is completed; returns what was erased. */
async function erase(type: RecordType, record: Fields): Promise<unknown> {
  const asked = await remove(prompt, type, record[type.idField]);
  assert.equal(asked.status, 200, asked.text);
  const done = await scene.completed(prompt, asked.body.deletion_request_id ?? "");
  return done.body["erased"];
}

for (const type of deletableTypes) {
  const { resourceType, idField } = type;

  describe(`the deletion of a ${resourceType}`, () => {
    it("is queued and answered with its id, before anything is removed", async () => {
      const record = await scene.addRecord(patient, type);
      const reply = await remove(patient, type, record[idField]);
      assert.equal(reply.status, 200, reply.text);
      const { deletion_request_id: id } = reply.body;
      assert.deepEqual(reply.body, { [idField]: record[idField], deletion_request_id: id });
      assert.match(id ?? "", /^del_[0-9A-Za-z]+$/);
      assert.equal(await statusOfCheck(patient, type, record), 200);
      assert.deepEqual((await status(patient, id)).body, {
        deletion_request_id: id,
        resource_type: resourceType,
        resource_id: record[idField],
        status: "pending",
        requested_at: new Date(clock.now()).toISOString(),
        due_at: new Date(clock.now() + 3_600_000).toISOString(),
      });
    });

    it("has the same id while it is open, however it is requested", async () => {
      const record = await scene.addRecord(patient, type);
      const id = record[idField];
      const first = await remove(patient, type, id);
      for (const again of [
        await remove(patient, type, id),
        await remove(patient, type, id, { reason: "another reason" }),
        await removeByType(patient, type, id),
      ]) {
        assert.equal(again.status, 200);
        assert.equal(again.text, first.text);
      }
    });

    it("can be requested with a body of unknown length, but not without one", async () => {
      const record = await scene.addRecord(patient, type);
      const path = pathOf(type);
      const body = { [idField]: record[idField], reason: "asked by the customer" };
      const headers = { "content-length": undefined, "transfer-encoding": "chunked" };
      const reply = await scene.ask(patient, { method: "DELETE", path, headers, body });
      assert.equal(reply.status, 200, reply.text);
      const empty = await scene.ask(patient, { method: "DELETE", path });
      assertCode(empty, 40001);
      assert.match(empty.body.message ?? "", /send POST \/v2\/deletion_request instead/);
    });

    it("closes the record to writes until it is cancelled", async () => {
      const record = await scene.addRecord(patient, type);
      const id = idOf(type, record);
      const update = records.update(type, id);
      const asked = await remove(patient, type, id);
      const other = records.record(type);
      const writes: readonly Ask[] = [
        { method: "POST", path: pathOf(type), body: record },
        {
          method: "POST",
          path: pathOf(type),
          body: { ...record, timestamp: "2019-01-01T00:00:00Z" },
        },
        { method: "PUT", path: pathOf(type), body: update },
        { method: "POST", path: listPathOf(type), body: [other, record] },
        { method: "PUT", path: listPathOf(type), body: [update] },
      ];
      for (const write of writes) {
        const reply = await scene.ask(patient, write);
        assertCode(reply, 40903);
      }
      assert.equal(await statusOfCheck(patient, type, other), 404);
      await cancelDeletion(app, asked.body.deletion_request_id ?? "");
      const cancelled = await status(patient, asked.body.deletion_request_id);
      assert.equal(cancelled.body.status, "cancelled");
      assert.equal("completed_at" in cancelled.body, false);
      const [, , put] = writes;
      assert.ok(put !== undefined);
      assert.equal((await scene.ask(patient, put)).status, 200);
      const next = await remove(patient, type, id);
      assert.notEqual(next.body.deletion_request_id, asked.body.deletion_request_id);
    });

    it("is processed after the grace period, not before", async () => {
      const customer = await scene.makeCustomer({ deletionGraceSeconds: 600 });
      const record = await scene.addRecord(customer, type);
      const asked = await remove(customer, type, record[idField]);
      const id = asked.body.deletion_request_id ?? "";
      clock.advanceMs(599_999);
      const early = await scene.addRecord(prompt, type);
      await erase(type, early);
      assert.equal((await status(customer, id)).body.status, "pending");
      clock.advanceMs(1);
      const done = await scene.completed(customer, id);
      assert.equal(done.body["completed_at"], new Date(clock.now()).toISOString());
      assert.deepEqual(done.body["erased"], { [resourceType]: 1 });
    });

    it("removes the record permanently, and makes its id available again", async () => {
      const record = await scene.addRecord(prompt, type, { timestamp: "2026-01-01T00:00:00Z" });
      const id = idOf(type, record);
      assert.deepEqual(await erase(type, record), { [resourceType]: 1 });
      assert.equal(await statusOfCheck(prompt, type, record), 404);
      assert.equal((await remove(prompt, type, id)).status, 404);
      const again = records.record(type, { [idField]: id, timestamp: "2026-05-05T00:00:00Z" });
      const added = await scene.ask(prompt, { method: "POST", path: pathOf(type), body: again });
      assert.equal(added.status, 201);
      const seen = await check(scene, prompt, { type, id });
      assert.equal(seen.body.first_seen, "2026-05-05T00:00:00Z");
    });

    it("of a record that does not exist is answered with 404, with DELETE and with POST", async () => {
      for (const reply of [
        await remove(prompt, type, "nobody"),
        await removeByType(prompt, type, "nobody"),
      ]) {
        assertCode(reply, 40401);
      }
    });

    it("waits for the release of a hold on the record", async () => {
      const record = await scene.addRecord(prompt, type);
      const resourceId = idOf(type, record);
      const key = { organizationId: prompt.organizationId, resourceType, resourceId };
      await holdRecord(app, key, { reason: "a law suit" });
      const asked = await remove(prompt, type, resourceId);
      const id = asked.body.deletion_request_id ?? "";
      await waitFor("the worker to meet the hold", async () => {
        const found = await app.store.findDeletion(id, undefined);
        return found?.waitingFor;
      });
      const waiting = await status(prompt, id);
      assert.equal(waiting.body.status, "pending");
      assert.doesNotMatch(waiting.text, /law suit|hold/);
      assert.equal(await statusOfCheck(prompt, type, record), 200);
      await releaseHold(app, key);
      await scene.completed(prompt, id);
      assert.equal(await statusOfCheck(prompt, type, record), 404);
    });

    it("can't be requested without a reason or an id, nor with unknown fields", async () => {
      const record = await scene.addRecord(patient, type);
      const id = record[idField];
      const long = "x".repeat(limits.reasonCharactersMax + 1);
      for (const [more, field] of [
        [{ reason: undefined }, "reason"],
        [{ reason: "" }, "reason"],
        [{ reason: long }, "reason"],
        [{ reason: 5 }, "reason"],
        [{ reason: "\ud800" }, "reason"],
        [{ reason: "a\u0000b" }, "reason"],
        [{ [idField]: undefined }, idField],
        [{ [idField]: "" }, idField],
        [{ [idField]: "x".repeat(257) }, idField],
        [{ [idField]: 7 }, idField],
        [{ basis: "gdpr" }, "basis"],
        [{ reason: null }, "reason"],
        [{ force: true }, "force"],
      ] as const) {
        const reply = await remove(patient, type, id, more);
        assert.equal(reply.status, 400, reply.text);
        assert.deepEqual(fieldsOf(reply), [field]);
      }
      const unknown = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`zz${at}`, 1]));
      const many = await remove(patient, type, id, unknown);
      assert.equal(many.body.errors?.length, limits.fieldErrorsMax);
      const most = await remove(patient, type, id, {
        reason: `\t\n\u0001${long.slice(4)}`,
        basis: null,
      });
      assert.equal(most.status, 200);
    });
  });
}

describe("all related data", () => {
  for (const type of [typeNamed("person"), typeNamed("company")]) {
    it(`of a ${type.resourceType} is erased with it: records of every type that belong to it`, async () => {
      const root = await scene.addRecord(prompt, type);
      const none = { related_person_id: undefined, related_company_id: undefined };
      const references = { ...none, related_tx_id: undefined };
      const related = { ...references, [`related_${type.idField}`]: root[type.idField] };
      const belonging = [
        "screening",
        "risk_assessment",
        "identity_verification",
        "onboarding_flow",
        "customer_sar",
      ];
      for (const name of belonging) {
        const has = typeNamed(name).fieldNames;
        const own = Object.entries(related).filter(([field]) => has.includes(field));
        await scene.addRecord(prompt, typeNamed(name), Object.fromEntries(own));
      }
      const expected = [type.resourceType, ...belonging].map((name) => [name, 1]);
      assert.deepEqual(await erase(type, root), Object.fromEntries(expected));
    });
  }
});

describe("the POST form of DELETE", () => {
  it("names the record type, which has to be one that can be deleted", async () => {
    for (const [resource_type, resource_id] of [
      ["screening", "1"],
      ["transaction_alert", "1"],
      ["everything", "1"],
      ["", "1"],
      [undefined, "1"],
    ]) {
      const body = { resource_type, resource_id, reason: "a test" };
      const reply = await scene.ask(patient, { method: "POST", path: twin, body });
      assert.equal(reply.status, 400, reply.text);
      assert.deepEqual(fieldsOf(reply), ["resource_type"]);
    }
  });
});

describe("the status of a deletion", () => {
  it("shows the basis that the request states, with DELETE and with POST", async () => {
    const type = typeNamed("transaction");
    for (const [index, basis] of deletionBasisNames.entries()) {
      const record = await scene.addRecord(patient, type);
      const id = record[type.idField];
      const isDelete = index % 2 === 0;
      const asked = await (isDelete ? remove : removeByType)(patient, type, id, { basis });
      const shown = await status(patient, asked.body.deletion_request_id);
      assert.equal(shown.body["basis"], basis, asked.text);
    }
  });

  it("is requested by an id that exists, given once", async () => {
    const unknown = await status(patient, "del_unknown");
    assertCode(unknown, 40402);
    for (const path of [
      twin,
      `${twin}?deletion_request_id=`,
      `${twin}?deletion_request_id=a&deletion_request_id=b`,
    ]) {
      const reply = await scene.ask(patient, { method: "GET", path });
      assert.equal(reply.status, 400);
      assert.equal(reply.body.errors?.[0]?.field, "deletion_request_id");
    }
  });

  it("stays after the deletion, with what was erased and when", async () => {
    const type = typeNamed("company");
    const record = await scene.addRecord(prompt, type);
    const requestedAt = new Date(clock.now()).toISOString();
    const asked = await remove(prompt, type, record[type.idField]);
    const done = await scene.completed(prompt, asked.body.deletion_request_id ?? "");
    const { completed_at, receipt: _receipt, disclosures: _disclosures, ...rest } = done.body;
    assert.match(String(completed_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(rest, {
      deletion_request_id: asked.body.deletion_request_id,
      resource_type: "company",
      resource_id: record["company_id"],
      status: "completed",
      requested_at: requestedAt,
      erased: { company: 1 },
    });
  });
});
