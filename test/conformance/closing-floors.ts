// A closed organization under retention floors: nothing of it is erased before the last floor of any of its records has ended,
// and then everything is.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FloorOrigin } from "../../src/domain/retention/floor.ts";
import type { Store } from "../../src/store/interface/store.ts";
import { type Engine, openSite, type Site } from "./engine.ts";
import {
  acme,
  add,
  claim,
  deletionOf,
  finish,
  hold,
  keyOf,
  noFigures,
  operator,
  organization,
  other,
  release,
  request,
  requireConsistent,
  worker,
  write,
  draftOf,
} from "./scene.ts";

const deletionRequestId = "del_everything";
const day = 86_400_000;
/** Midnight of a day of January 1970, by which the test clock counts. */
const onDay = (number: number) => (number - 1) * day;
const seen = (number: number) => ({ timestamp: new Date(onDay(number)).toISOString() });

async function close(store: Store): Promise<void> {
  await store.closeOrganization(acme, operator);
  const wanted = { organizationId: acme, deletionRequestId, reason: "ended" };
  await store.requestOrganizationDeletion({ ...wanted, requestedBy: "operator" }, operator);
}

function setFloor(
  store: Store,
  resourceType: string,
  keepDays: number | undefined,
  countedFrom: FloorOrigin = "last_seen",
) {
  const rule = keepDays === undefined ? undefined : { keepDays, countedFrom };
  return store.retention.setFloor({ organizationId: acme, resourceType, rule }, operator);
}

/** Records of several types, seen on the first days of the month; the person is not closed. */
async function openFilled(engine: Engine, test: Parameters<typeof openSite>[1]): Promise<Site> {
  const site = await openSite(engine, test);
  const { store } = site;
  for (const id of [acme, other]) await store.createOrganization(organization(id), operator);
  for (const [id, number] of [
    ["t1", 2],
    ["t2", 6],
    ["t3", 4],
  ] as const) {
    await add(store, "transaction", id, seen(number));
  }
  await add(store, "transaction_check", "c", { ...seen(9), related_tx_ids: ["t1"] });
  await add(store, "company", "closed", { ...seen(3), account_status: "CLOSED" });
  await write(store, draftOf("transaction", "t"), { organizationId: other });
  return site;
}

/** Waits until this time, and is claimed then. */
async function requireFloor(store: Store, until: number): Promise<string | undefined> {
  const before = await store.countRecords(acme);
  for (const now of [worker.now, until - 1]) assert.equal(await claim(store, now), undefined);
  const waiting = await deletionOf(store, deletionRequestId);
  assert.deepEqual([waiting.status, waiting.floorUntil], ["pending", until]);
  assert.deepEqual(await store.countRecords(acme), before);
  assert.equal((await claim(store, until))?.deletionRequestId, deletionRequestId);
  return waiting.waitingFor;
}

async function requireErased(store: Store): Promise<void> {
  const { status, erased } = await finish(store, deletionRequestId);
  assert.equal(status, "completed");
  assert.deepEqual(erased, { company: 1, transaction: 3, transaction_check: 1 });
  assert.deepEqual(await store.countRecords(acme), {});
  assert.deepEqual(await store.countRecords(other), { transaction: 1 });
  await requireConsistent(store);
}

export function testClosingUnderFloors(engine: Engine): void {
  describe(`${engine.name}: the deletion of an organization under retention floors`, () => {
    it("waits for the last floor of any record, and erases everything together", async (test) => {
      const { store } = await openFilled(engine, test);
      await setFloor(store, "transaction", 10);
      await setFloor(store, "company", 11, "closed");
      await close(store);
      const text =
        "the retention floor of transaction t2: 10 days from last_seen, until 1970-01-16";
      assert.equal(await requireFloor(store, onDay(16)), text);
      await requireErased(store);
    });

    it("counts a floor from the request while a company is not closed", async (test) => {
      const { store } = await openFilled(engine, test);
      const open = draftOf("company", "closed", { ...seen(4), account_status: "APPROVED" });
      await write(store, open, { resourceType: "company", mode: "update" });
      await setFloor(store, "company", 5, "closed");
      await close(store);
      await requireFloor(store, operator.now + 5 * day);
      await requireErased(store);
    });

    it("is evaluated again when a rule changes, also if the organization is closed", async (test) => {
      const { store } = await openFilled(engine, test);
      await setFloor(store, "transaction", 10);
      await close(store);
      assert.equal(await claim(store), undefined);
      assert.equal((await deletionOf(store, deletionRequestId)).floorUntil, onDay(16));
      await setFloor(store, "transaction_check", 20);
      assert.equal((await deletionOf(store, deletionRequestId)).nextAttemptAt, 0);
      assert.equal(await claim(store), undefined);
      assert.equal((await deletionOf(store, deletionRequestId)).floorUntil, onDay(29));
      await setFloor(store, "transaction_check", undefined);
      await requireFloor(store, onDay(16));
      await requireErased(store);
    });

    it("waits for a hold first, and for the floor afterwards", async (test) => {
      const { store } = await openFilled(engine, test);
      await setFloor(store, "transaction", 10);
      const held = keyOf("transaction_check", "c");
      await hold(store, held);
      await close(store);
      assert.equal(await claim(store, onDay(16)), undefined);
      const waiting = await deletionOf(store, deletionRequestId);
      assert.equal(waiting.waitingFor, "a hold on transaction_check c");
      await release(store, held);
      await requireFloor(store, onDay(16));
      assert.deepEqual(await store.deletionFigures(onDay(16)), noFigures);
      await requireErased(store);
      assert.deepEqual(await store.deletionFigures(onDay(99)), noFigures);
    });

    it("does not wait for the floor of a record that another deletion has erased", async (test) => {
      const { store } = await openFilled(engine, test);
      await setFloor(store, "transaction", 10);
      const last = (await request(store, keyOf("transaction", "t2"))) ?? "";
      await close(store);
      assert.equal(await claim(store), undefined);
      await setFloor(store, "transaction", 1);
      const now = onDay(7);
      const first = await claim(store, now);
      const second = await claim(store, now);
      assert.deepEqual([first?.deletionRequestId, second], [last, undefined]);
      const { waitingFor } = await deletionOf(store, deletionRequestId);
      assert.equal(waitingFor, `the deletion ${last}, which is processing`);
      await finish(store, last);
      assert.equal((await claim(store, now + 5_000))?.deletionRequestId, deletionRequestId);
      assert.deepEqual((await finish(store, deletionRequestId)).erased["transaction"], 2);
    });

    it("is not delayed by floors when it is replayed", async (test) => {
      const { store } = await openFilled(engine, test);
      await setFloor(store, "transaction", 500);
      const completed = { at: 2_000, receiptNo: 1, receiptHash: "a".repeat(64) };
      const by = { requestedBy: "operator", requestedAt: 1_000, completed };
      const named = { organizationId: acme, resourceType: "organization", resourceId: acme };
      await store.replay.queueReplay([{ kind: "deletion", deletionRequestId, ...named, ...by }]);
      await store.replay.reopenDeletions({ after: undefined, limit: 10 }, operator);
      assert.equal((await claim(store))?.deletionRequestId, deletionRequestId);
      await requireErased(store);
    });
  });
}
