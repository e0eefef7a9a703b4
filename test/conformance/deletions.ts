// The life cycle of a deletion: requested, due, claimed, completed or cancelled, and what it
// rejects meanwhile.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { DeletionFilter } from "../../src/store/sql/deletion/deletion.ts";
import { type Engine, openSite, useSite } from "./engine.ts";
import { acme, keyOf, operator, other, transaction, worker } from "./scene.ts";
import type { TestStore } from "../support/test-store.ts";

export function testDeletions(engine: Engine): void {
  describe(`${engine.name}: a deletion`, () => {
    const site = useSite(engine);
    let store: TestStore;
    before(() => {
      store = site().store;
    });

    it("returns all of its properties", async () => {
      await store.add("transaction", "told");
      const id = await store.request(keyOf("transaction", "told"), {
        deletionRequestId: "del_told",
        reason: "Zoë asked",
        actor: "key_7",
        now: 50,
        dueAt: 60,
      });
      assert.equal(id, "del_told");
      assert.deepEqual(await store.findDeletion("del_told", acme), {
        deletionRequestId: "del_told",
        organizationId: acme,
        resourceType: "transaction",
        resourceId: "told",
        reason: "Zoë asked",
        status: "pending",
        requestedBy: "key_7",
        requestedAt: 50,
        dueAt: 60,
        startedAt: undefined,
        completedAt: undefined,
        erased: {},
        kept: {},
        restrictedOf: undefined,
        redacted: 0,
        redactedByType: {},
        attempts: 0,
        waitingFor: undefined,
        nextAttemptAt: undefined,
        floorUntil: undefined,
      });
      assert.equal(await store.findDeletion("del_unknown", undefined), undefined);
      await store.processAll();
    });

    it("is the same one while it is open, even when the record is already erased", async () => {
      const key = keyOf("transaction", "same");
      await store.add("transaction", "same");
      const id = await store.request(key);
      assert.equal(await store.request(key, { deletionRequestId: "del_unused" }), id);
      assert.equal((await store.claim())?.deletionRequestId, id);
      assert.equal(await store.request(key), id);
      await store.eraseOne(id, 10);
      assert.equal(await store.exists(key), false);
      assert.equal(await store.request(key), id);
      await store.finish(id);
      assert.equal(await store.tryRequest(key), undefined);
      assert.equal(await store.findDeletion("del_unused", undefined), undefined);
    });

    it("refuses every write to its record from the request to the completion", async () => {
      const key = keyOf("transaction", "closed");
      await store.add("transaction", "closed");
      const modes = ["add", "append", "update"] as const;
      async function requireRefusal(): Promise<void> {
        for (const mode of modes) {
          const drafts = [transaction("closed"), transaction(`beside, ${mode}`)];
          const outcome = await store.write(drafts, { mode, lenient: true });
          assert.equal(outcome.drafts[0], "deletion_open");
        }
        const strict = await store.write([transaction("fresh"), transaction("closed")]);
        assert.deepEqual(strict, { written: 0, drafts: ["created", "deletion_open"] });
      }
      const id = await store.request(key);
      await requireRefusal();
      await store.claim();
      await requireRefusal();
      await store.eraseOne(id, 10);
      await requireRefusal();
      await store.finish(id);
      assert.deepEqual(await store.write(transaction("closed")), {
        written: 1,
        drafts: ["created"],
      });
    });

    it("has counts and times but no plan once it is completed", async () => {
      await store.add("transaction", "counted");
      await store.add("transaction_check", "counted", { related_tx_ids: ["counted"] });
      const id = await store.request(keyOf("transaction", "counted"), { now: 10 });
      const [completed] = await store.processAll();
      assert.equal(completed?.deletionRequestId, id);
      assert.deepEqual(completed, await store.deletionOf(id));
      assert.equal(completed?.status, "completed");
      assert.deepEqual(completed?.erased, { transaction: 1, transaction_check: 1 });
      assert.equal(completed?.startedAt, worker.now);
      assert.equal(completed?.completedAt, worker.now);
      assert.equal(completed?.attempts, 1);
    });

    it("leaves nothing of the record, and the id can be used again", async () => {
      const key = keyOf("transaction", "fresh start");
      await store.add("transaction", "fresh start", { timestamp: "2001-01-01T00:00:00Z" });
      await store.write(transaction("fresh start", { amount: 2 }), { mode: "update" });
      await store.request(key);
      await store.processAll();
      assert.equal(await store.readHistory(key), undefined);
      await store.add("transaction", "fresh start", { timestamp: "2009-01-01T00:00:00Z" });
      const history = await store.readHistory(key);
      assert.equal(history?.firstSeen, "2009-01-01T00:00:00");
      assert.equal(history?.changes.length, 1);
    });
  });

  testClaiming(engine);
  testOverview(engine);
}

function testClaiming(engine: Engine): void {
  describe(`${engine.name}: claiming a deletion`, () => {
    it("skips deletions that are not due", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("transaction", "a");
      await store.request(keyOf("transaction", "a"), { now: 10, dueAt: 1_000 });
      assert.equal(await store.claim(999), undefined);
      assert.equal((await store.claim(1_000))?.status, "processing");
    });

    it("claims the one that has been due the longest, and none twice", async (test) => {
      const { store } = await openSite(engine, test);
      const due = [30, 10, 20];
      for (const dueAt of due) {
        await store.add("transaction", `${dueAt}`);
        await store.request(keyOf("transaction", `${dueAt}`), { now: 1, dueAt });
      }
      const claimed = [await store.claim(100), await store.claim(100), await store.claim(100)];
      assert.deepEqual(
        claimed.map((deletion) => deletion?.resourceId),
        ["10", "20", "30"],
      );
      assert.equal(await store.claim(100), undefined);
    });

    it("takes turns between organizations, whatever has been due the longest", async (test) => {
      const { store } = await openSite(engine, test);
      for (let index = 0; index < 40; index += 1) {
        await store.add("transaction", `t${index}`);
        await store.request(keyOf("transaction", `t${index}`), { now: 1, dueAt: index });
      }
      // More than share a claim, and the first ones by id too have more than one.
      const others = Array.from({ length: 40 }, (_, index) => `org_${index + 10}`);
      for (const id of others) {
        for (const name of ["a", "b"]) {
          await store.write(transaction(name), { organizationId: id });
          await store.request(keyOf("transaction", name, id), { now: 1, dueAt: 100 });
        }
      }
      const options = { now: 1_000, leaseUntil: 61_000, claimant: "test" };
      const claimed = [
        ...(await store.claimDeletions(options, 32)),
        ...(await store.claimDeletions(options, 32)),
      ];
      const organizations = new Set(claimed.map(({ organizationId }) => organizationId));
      assert.deepEqual([...organizations].toSorted(), [acme, ...others].toSorted());
      assert.equal((await store.claimDeletions(options, 256)).length > 0, true);
    });

    it("claims one whose lease has expired, and continues with what is left of it", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("transaction", "t");
      await store.add("transaction_check", "c", { related_tx_ids: ["t"] });
      const id = await store.request(keyOf("transaction", "t"), { now: 1 });
      await store.claimOne({ now: 10, leaseUntil: 20, claimant: "one" });
      await store.eraseOne(id, 1, { actor: "worker", now: -60_000 });
      assert.equal(await store.claimOne({ now: 20, leaseUntil: 30, claimant: "two" }), undefined);
      const again = await store.claimOne({ now: 21, leaseUntil: 30, claimant: "two" });
      assert.equal(again?.attempts, 2);
      assert.equal(again?.startedAt, 10);
      assert.deepEqual(again?.erased, { transaction_check: 1 });
      assert.deepEqual((await store.finish(id)).erased, { transaction: 1, transaction_check: 1 });
    });

    it("is delayed by a postponement, which states the reason", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("transaction", "t");
      const id = await store.request(keyOf("transaction", "t"), { now: 1 });
      await store.claim(10);
      await store.postponeDeletion(id, "the disk was full", 500);
      const waiting = await store.deletionOf(id);
      assert.equal(waiting.waitingFor, "the disk was full");
      assert.equal(waiting.nextAttemptAt, 500);
      assert.equal(waiting.status, "processing");
      assert.equal(await store.claim(499), undefined);
      const again = await store.claim(500);
      assert.equal(again?.waitingFor, undefined);
      assert.equal(again?.nextAttemptAt, undefined);
      assert.equal((await store.finish(id)).attempts, 2);
    });

    it("renews its lease with each step", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("transaction", "t");
      const id = await store.request(keyOf("transaction", "t"), { now: 1 });
      await store.claimOne({ now: 10, leaseUntil: 20, claimant: "one" });
      await store.eraseOne(id, 10, { actor: "worker", now: 1_000 });
      assert.equal(await store.claim(1_001), undefined);
    });

    it("refuses steps of one that is not being processed", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("transaction", "t");
      const id = await store.request(keyOf("transaction", "t"));
      await assert.rejects(store.eraseOne(id, 10));
      await assert.rejects(store.completeOne(id));
      assert.equal(await store.exists(keyOf("transaction", "t")), true);
      await store.processAll();
      await assert.rejects(store.eraseOne(id, 10));
      await assert.rejects(store.completeOne(id));
      await assert.rejects(store.eraseOne("del_unknown", 10));
    });
  });

  describe(`${engine.name}: the cancellation of a deletion`, () => {
    it("allows writes to the record again, and is possible only while it is pending", async (test) => {
      const { store } = await openSite(engine, test);
      const key = keyOf("transaction", "t");
      await store.add("transaction", "t");
      const id = await store.request(key);
      const cancelled = await store.cancelDeletion(id, operator);
      assert.ok(typeof cancelled === "object" && cancelled.status === "cancelled");
      assert.equal(await store.claim(), undefined);
      assert.deepEqual((await store.write(transaction("t"), { mode: "update" })).drafts, [
        "updated",
      ]);
      assert.equal(await store.cancelDeletion(id, operator), "not_pending");
      assert.equal(await store.cancelDeletion("del_unknown", operator), "no_such_deletion");
      const second = await store.request(key);
      assert.notEqual(second, id);
      await store.claim();
      assert.equal(await store.cancelDeletion(second, operator), "not_pending");
      assert.equal((await store.finish(second)).status, "completed");
    });
  });
}

function testOverview(engine: Engine): void {
  describe(`${engine.name}: the list of deletions`, () => {
    // A store that was just opened: organizations take turns from the first one on.
    const site = useSite(engine, {});
    let store: TestStore;
    before(async () => {
      store = site().store;
      for (const [index, organizationId] of [acme, other, acme, acme, other].entries()) {
        const id = `t${index}`;
        await store.write(transaction(id), { organizationId });
        await store.request(keyOf("transaction", id, organizationId), {
          deletionRequestId: `del_t${index}`,
          now: 100 + index,
          dueAt: index < 3 ? 200 + index : 9_000,
        });
      }
      await store.cancelDeletion("del_t4", operator);
      await store.finish((await store.claim(300))?.deletionRequestId ?? "");
      await store.claim(300);
    });

    it("is newest first, by organization and by status", async () => {
      assert.deepEqual(await listIds(store, {}), ["t4", "t3", "t2", "t1", "t0"]);
      assert.deepEqual(await listIds(store, { limit: 2 }), ["t4", "t3"]);
      assert.deepEqual(await listIds(store, { organizationId: other }), ["t4", "t1"]);
      assert.deepEqual(await listIds(store, { status: "pending" }), ["t3", "t2"]);
      assert.deepEqual(await listIds(store, { status: "completed" }), ["t0"]);
      assert.deepEqual(await listIds(store, { organizationId: other, status: "processing" }), [
        "t1",
      ]);
      assert.deepEqual(await listIds(store, { organizationId: acme, status: "cancelled" }), []);
    });

    it("has what numbers over completed deletions are made of, by organization and in parts", async () => {
      const [completed] = await store.listDeletions({ status: "completed", limit: 10 });
      assert.ok(completed?.completedAt !== undefined);
      const { deletionRequestId, organizationId, resourceType, requestedAt } = completed;
      const { completedAt, erased, kept } = completed;
      const row = { deletionRequestId, organizationId, resourceType, requestedAt };
      const rows = [{ ...row, completedAt, erased, kept }];
      assert.deepEqual(await store.listCompleted({ limit: 10 }), rows);
      assert.deepEqual(await store.listCompleted({ organizationId: acme, limit: 10 }), rows);
      assert.deepEqual(await store.listCompleted({ organizationId: other, limit: 10 }), []);
      assert.deepEqual(await store.listCompleted({ before: completed, limit: 10 }), []);
    });

    it("counts by status, and knows since when the oldest has been due", async () => {
      assert.deepEqual(await store.deletionFigures(202), {
        byStatus: { pending: 2, processing: 1, completed: 1, cancelled: 1 },
        held: 0,
        underFloor: 0,
        oldestDueAt: 201,
        oldestStartedAt: undefined,
      });
      assert.equal((await store.deletionFigures(300)).oldestStartedAt, 300);
      assert.equal((await store.deletionFigures(200)).oldestDueAt, undefined);
    });

    it("finds the requests of one record", async () => {
      const of = (resourceId: string, limit = 10) =>
        store.listDeletions({
          organizationId: acme,
          record: { resourceType: "transaction", resourceId },
          limit,
        });
      await store.write(transaction("t0"), { organizationId: acme });
      await store.request(keyOf("transaction", "t0", acme), {
        deletionRequestId: "del_again",
        now: 8_000,
        dueAt: 9_000,
      });
      const ids = (await of("t0")).map((one) => one.deletionRequestId);
      assert.deepEqual(ids, ["del_again", "del_t0"]);
      assert.equal((await of("t0", 1))[0]?.deletionRequestId, "del_again");
      assert.deepEqual(await of("t1"), []);
    });
  });
}

async function listIds(
  store: TestStore,
  filter: Partial<DeletionFilter>,
): Promise<readonly string[]> {
  const deletions = await store.listDeletions({ limit: 10, ...filter });
  return deletions.map(({ resourceId }) => resourceId);
}
