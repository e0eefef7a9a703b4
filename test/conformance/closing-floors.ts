// A closed organization under retention floors: nothing of it is erased before the last floor of any of its records has
// ended, and then everything is.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Engine, openSite, type Site } from "./engine.ts";
import {
  acme,
  day,
  onDay,
  seen,
  keyOf,
  noFigures,
  operator,
  organization,
  other,
  worker,
  draftOf,
} from "./scene.ts";
import type { TestStore } from "../support/test-store.ts";

const deletionRequestId = "del_everything";

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
    await store.add("transaction", id, seen(number));
  }
  await store.add("transaction_check", "c", { ...seen(9), related_tx_ids: ["t1"] });
  await store.add("company", "closed", { ...seen(3), account_status: "CLOSED" });
  await store.write(draftOf("transaction", "t"), { organizationId: other });
  return site;
}

/** Waits until this time, and is claimed then. */
async function requireFloor(store: TestStore, until: number): Promise<string | undefined> {
  const before = await store.countRecords(acme);
  for (const now of [worker.now, until - 1]) assert.equal(await store.claim(now), undefined);
  const waiting = await store.deletionOf(deletionRequestId);
  assert.deepEqual([waiting.status, waiting.floorUntil], ["pending", until]);
  assert.deepEqual(await store.countRecords(acme), before);
  assert.equal((await store.claim(until))?.deletionRequestId, deletionRequestId);
  return waiting.waitingFor;
}

async function requireErased(store: TestStore): Promise<void> {
  const { status, erased } = await store.finish(deletionRequestId);
  assert.equal(status, "completed");
  assert.deepEqual(erased, { company: 1, transaction: 3, transaction_check: 1 });
  assert.deepEqual(await store.countRecords(acme), {});
  assert.deepEqual(await store.countRecords(other), { transaction: 1 });
  await store.requireConsistent();
}

export function testClosingUnderFloors(engine: Engine): void {
  describe(`${engine.name}: the deletion of an organization under retention floors`, () => {
    it("waits for the last floor of any record, and erases everything together", async (test) => {
      const { store } = await openFilled(engine, test);
      await store.setFloor("transaction", 10);
      await store.setFloor("company", 11, "closed");
      await store.closeAll(deletionRequestId);
      const text =
        "the retention floor of transaction t2: 10 days from last_seen, until 1970-01-16";
      assert.equal(await requireFloor(store, onDay(16)), text);
      await requireErased(store);
    });

    it("counts a floor from the request while a company is not closed", async (test) => {
      const { store } = await openFilled(engine, test);
      const open = draftOf("company", "closed", { ...seen(4), account_status: "APPROVED" });
      await store.write(open, { resourceType: "company", mode: "update" });
      await store.setFloor("company", 5, "closed");
      await store.closeAll(deletionRequestId);
      await requireFloor(store, operator.now + 5 * day);
      await requireErased(store);
    });

    it("is evaluated again when a rule changes, also if the organization is closed", async (test) => {
      const { store } = await openFilled(engine, test);
      await store.setFloor("transaction", 10);
      await store.closeAll(deletionRequestId);
      assert.equal(await store.claim(), undefined);
      assert.equal((await store.deletionOf(deletionRequestId)).floorUntil, onDay(16));
      await store.setFloor("transaction_check", 20);
      assert.equal((await store.deletionOf(deletionRequestId)).nextAttemptAt, 0);
      assert.equal(await store.claim(), undefined);
      assert.equal((await store.deletionOf(deletionRequestId)).floorUntil, onDay(29));
      await store.setFloor("transaction_check", undefined);
      await requireFloor(store, onDay(16));
      await requireErased(store);
    });

    it("that has begun moves nothing to the restricted store by a later rule", async (test) => {
      const { store } = await openFilled(engine, test);
      const report = "transaction_suspicious_activity";
      await store.add(report, "r", { ...seen(9), related_tx_ids: ["t3"] });
      const { now } = worker;
      const single = await store.request(keyOf("transaction", "t3"), { dueAt: now + 1 });
      await store.closeAll(deletionRequestId);
      assert.equal((await store.claim(now))?.deletionRequestId, deletionRequestId);
      await store.eraseOne(deletionRequestId, 1);
      await store.setFloor(report, 400);
      assert.equal((await store.claim(now + 1))?.deletionRequestId, single);
      await store.finish(single);
      await store.finish(deletionRequestId);
      const sets = await store.restricted.listSets({ organizationId: acme, after: "", limit: 9 });
      assert.deepEqual(sets, []);
      await store.requireConsistent();
    });

    it("waits for a hold first, and for the floor afterwards", async (test) => {
      const { store } = await openFilled(engine, test);
      await store.setFloor("transaction", 10);
      const held = keyOf("transaction_check", "c");
      await store.hold(held);
      await store.closeAll(deletionRequestId);
      assert.equal(await store.claim(onDay(16)), undefined);
      const waiting = await store.deletionOf(deletionRequestId);
      assert.equal(waiting.waitingFor, "a hold on transaction check c");
      await store.release(held);
      await requireFloor(store, onDay(16));
      assert.deepEqual(await store.deletionFigures(onDay(16)), noFigures);
      await requireErased(store);
      assert.deepEqual(await store.deletionFigures(onDay(99)), noFigures);
    });

    it("does not wait for the floor of a record that another deletion has erased", async (test) => {
      const { store } = await openFilled(engine, test);
      await store.setFloor("transaction", 10);
      const last = await store.request(keyOf("transaction", "t2"));
      await store.closeAll(deletionRequestId);
      assert.equal(await store.claim(), undefined);
      await store.setFloor("transaction", 1);
      const now = onDay(7);
      const first = await store.claim(now);
      const second = await store.claim(now);
      assert.deepEqual([first?.deletionRequestId, second], [last, undefined]);
      const { waitingFor } = await store.deletionOf(deletionRequestId);
      assert.equal(waitingFor, `the deletion ${last}, which is processing`);
      await store.finish(last);
      assert.equal((await store.claim(now + 5_000))?.deletionRequestId, deletionRequestId);
      assert.deepEqual((await store.finish(deletionRequestId)).erased["transaction"], 2);
    });

    it("is not delayed by floors when it is replayed", async (test) => {
      const { store } = await openFilled(engine, test);
      await store.setFloor("transaction", 500);
      const completed = { at: 2_000, receiptNo: 1, receiptHash: "a".repeat(64) };
      const by = { requestedBy: "operator", requestedAt: 1_000, completed };
      const named = { organizationId: acme, resourceType: "organization", resourceId: acme };
      await store.replay.queueReplay([{ kind: "deletion", deletionRequestId, ...named, ...by }]);
      await store.replay.reopenDeletions({ after: undefined, limit: 10 }, operator);
      assert.equal((await store.claim())?.deletionRequestId, deletionRequestId);
      await requireErased(store);
    });
  });
}
