// An embedded store for tests of moving, filled over the API and with the operator's commands:
// every type, changes, relations, stored outcomes, deletions in each state, holds, keys and
// receipts. Finally the service is stopped, and the store is on the disk.

import assert from "node:assert/strict";
import { join } from "node:path";
import { cancelDeletion } from "../../../src/actions/deletion/decide-deletions.ts";
import { changeOrganization } from "../../../src/actions/access/change-organization.ts";
import { holdRecord } from "../../../src/actions/retention/holds.ts";
import { setRule } from "../../../src/actions/retention/retention-rules.ts";
import { rotateReceiptKey } from "../../../src/actions/receipt/receipt-keys.ts";
import { revokeKey } from "../../../src/actions/access/keys.ts";
import type { RecordType } from "../../../src/domain/record-type.ts";
import { recordTypes } from "../../../src/domain/record-types.ts";
import { makeKey, makeKeyReader } from "../../../src/data-folder/receipt-key.ts";
import { idOf, pathOf, type Scene, startScene, typeNamed } from "../../contract/scene.ts";
import type { Customer } from "../../support/customer.ts";
import { type FakeClock, makeFakeClock } from "../../support/fake-clock.ts";
import type { Fields } from "../../support/record-generator.ts";
import { storeSamples } from "../samples.ts";
import { openTestStore } from "../../support/test-store.ts";

export type FilledStore = Awaited<ReturnType<typeof fillStore>>;

const graceSeconds = 3_600;
const transaction = typeNamed("transaction");
const check = typeNamed("transaction_check");
const alert = typeNamed("transaction_alert");
const report = typeNamed("transaction_suspicious_activity");

export async function fillStore(folder: string) {
  const clock = makeFakeClock();
  const scene = await startScene({ folder, clock });
  let filled;
  try {
    filled = await fill(scene);
  } finally {
    await scene.stop();
  }
  await beginErasure(folder, clock);
  return { folder, clock, ...filled };
}

/** `deletions`: the ids of those of Acme, by the state that they were left in; `former`: its key was revoked. */
async function fill(scene: Scene) {
  const acme = await scene.makeCustomer({
    organizationId: "acme",
    rateLimitPerSecond: 500_000,
    deletionGraceSeconds: graceSeconds,
  });
  const other = await scene.makeCustomer({ name: "Zoë & co", strictScopes: true });
  const former = await makeRevokedCustomer(scene);
  await addRecords(scene, acme);
  await addRecords(scene, other);
  const answered = await askOnce(scene, acme);
  const completed = await completeOne(scene, acme);
  const oldKey = makeKeyReader(scene.service.config)();
  await rotateReceiptKey(scene.service.app, makeKey(), () => oldKey);
  const waiting = await leaveWaiting(scene, acme);
  const { organizationId } = acme;
  const { store, now } = scene.service.app;
  const act = { actor: "anna", now: now() };
  await store.changeOrganization(organizationId, { deletionApproval: true }, act);
  const proposing = { ...act, proposalId: "prp_moved" };
  await store.changeOrganization(organizationId, { deletionApproval: false }, proposing);
  await store.changeOrganization(organizationId, { deletionApproval: false }, act);
  for (const sample of storeSamples)
    await sample.fill?.(store, organizationId, { act, types: ["person"] });
  return { acme, other, former, deletions: { completed, ...waiting }, answered };
}

async function makeRevokedCustomer(scene: Scene): Promise<Customer> {
  const { app } = scene.service;
  const former = await scene.makeCustomer({ name: "Former", scopes: ["person:read"] });
  await changeOrganization(app, former.organizationId, { retainDays: 30 });
  await revokeKey(app, former.keyId);
  return former;
}

/** Each type, with an update each, and lists that share records. */
async function addRecords(scene: Scene, customer: Customer): Promise<void> {
  const { records } = scene;
  for (const type of recordTypes) {
    for (let count = 0; count < 4; count += 1) {
      const record = await scene.addRecord(customer, type);
      const body = records.update(type, idOf(type, record));
      const reply = await scene.ask(customer, { method: "PUT", path: pathOf(type), body });
      assert.equal(reply.status, 200, reply.text);
    }
  }
}

/** Requests with an Idempotency-Key, and their replies. */
async function askOnce(scene: Scene, customer: Customer) {
  const { records } = scene;
  const known = await scene.addRecord(customer, transaction);
  const path = pathOf(transaction);
  const asks = [
    { method: "POST", path, body: records.record(transaction) },
    { method: "PUT", path, body: records.update(transaction, idOf(transaction, known)) },
    { method: "POST", path, body: { ...known, amount: 17 } },
  ].map((ask, index) => ({
    ...ask,
    token: customer.token,
    headers: { "idempotency-key": `key ${index}` },
  }));
  const answered = [];
  for (const ask of asks) {
    const { status, text } = await scene.client.send(ask);
    answered.push({ ask, status, text });
  }
  assert.deepEqual(
    answered.map(({ status }) => status),
    [201, 200, 409],
  );
  return answered;
}

/** A transaction with what belongs to it, and a record that also belongs to another. */
async function completeOne(scene: Scene, customer: Customer): Promise<string> {
  const [gone, stays] = [await addAlone(scene, customer), await addAlone(scene, customer)];
  await addAlone(scene, customer, { type: check, fields: { related_tx_ids: [gone] } });
  await addAlone(scene, customer, { type: alert, fields: { related_tx_ids: [gone, stays] } });
  // The report has to be kept as it is, and so has the transaction, which moves to the restricted store.
  await addAlone(scene, customer, { type: report, fields: { related_tx_ids: [gone, stays] } });
  const { organizationId } = customer;
  await setRule(scene.service.app, {
    organizationId,
    resourceType: report.resourceType,
    keepDays: 36_500,
    countedFrom: "last_seen",
  });
  const id = await requestDeletion(scene, customer, gone);
  scene.service.clock.advanceMs(graceSeconds * 1_000);
  const { body } = await scene.completed(customer, id);
  // This customer may know of reports, and so of what is kept.
  assert.deepEqual(body["erased"], { transaction_check: 1 });
  return id;
}

async function leaveWaiting(scene: Scene, acme: Customer) {
  const { app, clock } = scene.service;
  const { organizationId } = acme;
  const resourceType = transaction.resourceType;
  const resourceId = await addAlone(scene, acme);
  const target = { organizationId, resourceType, resourceId };
  await setRule(app, {
    organizationId,
    resourceType: "person",
    keepDays: 1_825,
    countedFrom: "closed",
  });
  await holdRecord(app, target, { reason: "case 7: „wait“" });
  const [owner, reviewOn] = ["Zoë", "2027-01-31"];
  await holdRecord(app, target, { reason: "case 8", owner, reviewOn, endsOn: "2030-06-30" });
  const held = await requestDeletion(scene, acme, resourceId);
  const cancelled = await requestDeletion(scene, acme, await addAlone(scene, acme));
  await cancelDeletion(app, cancelled);
  clock.advanceMs(1_000);
  const begun = await addAlone(scene, acme);
  for (let count = 0; count < 3; count += 1) {
    await addAlone(scene, acme, { type: check, fields: { related_tx_ids: [begun] } });
  }
  const processing = await requestDeletion(scene, acme, begun);
  clock.advanceMs(1_000);
  const pending = await requestDeletion(scene, acme, await addAlone(scene, acme));
  return { pending, cancelled, held, processing };
}

async function addAlone(
  scene: Scene,
  customer: Customer,
  { type = transaction, fields = {} }: { type?: RecordType; fields?: Fields } = {},
): Promise<string> {
  const none = Object.fromEntries(type.relations.map(({ field }) => [field, undefined]));
  return idOf(type, await scene.addRecord(customer, type, { ...none, ...fields }));
}

async function requestDeletion(scene: Scene, customer: Customer, id: string): Promise<string> {
  const body = { tx_id: id, reason: `asked for, ${id}` };
  const reply = await scene.ask(customer, { method: "DELETE", path: pathOf(transaction), body });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.deletion_request_id ?? "";
}

/**
 * As by a worker that has died: a plan is made and its first step is done; the held one has been
 * tried.
 */
async function beginErasure(folder: string, clock: FakeClock): Promise<void> {
  clock.advanceMs(graceSeconds * 1_000 - 1_000);
  const store = await openTestStore(`sqlite:${join(folder, "sluice.db")}`, { role: "command" });
  try {
    const now = clock.now();
    const claimed = await store.claimOne({ now, leaseUntil: now + 60_000, claimant: "gone" });
    assert.equal(claimed?.status, "processing");
    await store.eraseOne(claimed.deletionRequestId, 1, { actor: "worker", now });
  } finally {
    await store.close();
  }
}
