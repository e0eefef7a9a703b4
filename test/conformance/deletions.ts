// The life cycle of a deletion: requested, due, claimed, completed or cancelled, and what it
// rejects meanwhile.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Store } from "../../src/store/interface/store.ts";
import type { DeletionFilter } from "../../src/store/sql/erase/deletion.ts";
import { type Engine, openSite, useSite } from "./engine.ts";
import {
  acme,
  add,
  processAll,
  claim,
  deletionOf,
  exists,
  finish,
  keyOf,
  operator,
  other,
  request,
  requireConsistent,
  transaction,
  worker,
  write,
} from "./scene.ts";
import { claimOne, completeOne, eraseOne } from "../support/one-deletion.ts";

export function testDeletions(engine: Engine): void {
  describe(`${engine.name}: a deletion`, () => {
    const site = useSite(engine);
    let store: Store;
    before(() => {
      store = site().store;
    });

    it("is created only for a record that exists", async () => {
      assert.equal(await request(store, keyOf("transaction", "missing")), undefined);
      assert.deepEqual(await store.listDeletions({ limit: 10 }), []);
    });

    it("returns all of its properties", async () => {
      await add(store, "transaction", "told");
      const id = await request(store, keyOf("transaction", "told"), {
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
      await processAll(store);
    });

    it("is the same one while it is open, even when the record is already erased", async () => {
      const key = keyOf("transaction", "same");
      await add(store, "transaction", "same");
      const id = await request(store, key);
      assert.ok(id !== undefined);
      assert.equal(await request(store, key, { deletionRequestId: "del_unused" }), id);
      assert.equal((await claim(store))?.deletionRequestId, id);
      assert.equal(await request(store, key), id);
      await eraseOne(store, id, 10, worker);
      assert.equal(await exists(store, key), false);
      assert.equal(await request(store, key), id);
      await finish(store, id);
      assert.equal(await request(store, key), undefined);
      assert.equal(await store.findDeletion("del_unused", undefined), undefined);
    });

    it("refuses every write to its record from the request to the completion", async () => {
      const key = keyOf("transaction", "closed");
      await add(store, "transaction", "closed");
      const modes = ["add", "append", "update"] as const;
      async function requireRefusal(): Promise<void> {
        for (const mode of modes) {
          const drafts = [transaction("closed"), transaction(`beside, ${mode}`)];
          const outcome = await write(store, drafts, { mode, lenient: true });
          assert.equal(outcome.drafts[0], "deletion_open");
        }
        const strict = await write(store, [transaction("fresh"), transaction("closed")]);
        assert.deepEqual(strict, { written: 0, drafts: ["created", "deletion_open"] });
      }
      const id = await request(store, key);
      assert.ok(id !== undefined);
      await requireRefusal();
      await claim(store);
      await requireRefusal();
      await eraseOne(store, id, 10, worker);
      await requireRefusal();
      await finish(store, id);
      assert.deepEqual(await write(store, transaction("closed")), {
        written: 1,
        drafts: ["created"],
      });
    });

    it("has counts and times but no plan once it is completed", async () => {
      await add(store, "transaction", "counted");
      await add(store, "transaction_check", "counted", { related_tx_ids: ["counted"] });
      const id = await request(store, keyOf("transaction", "counted"), { now: 10 });
      const [completed] = await processAll(store);
      assert.equal(completed?.deletionRequestId, id);
      assert.deepEqual(completed, await deletionOf(store, id ?? ""));
      assert.equal(completed?.status, "completed");
      assert.deepEqual(completed?.erased, { transaction: 1, transaction_check: 1 });
      assert.equal(completed?.startedAt, worker.now);
      assert.equal(completed?.completedAt, worker.now);
      assert.equal(completed?.attempts, 1);
    });

    it("leaves nothing of the record, and the id can be used again", async () => {
      const key = keyOf("transaction", "fresh start");
      await add(store, "transaction", "fresh start", { timestamp: "2001-01-01T00:00:00Z" });
      await write(store, transaction("fresh start", { amount: 2 }), { mode: "update" });
      await request(store, key);
      await processAll(store);
      assert.equal(await store.readHistory(key), undefined);
      await add(store, "transaction", "fresh start", { timestamp: "2009-01-01T00:00:00Z" });
      const history = await store.readHistory(key);
      assert.equal(history?.firstSeen, "2009-01-01T00:00:00");
      assert.equal(history?.changes.length, 1);
    });

    it("leaves the store consistent", () => requireConsistent(store));
  });

  testClaiming(engine);
  testOverview(engine);
}

function testClaiming(engine: Engine): void {
  describe(`${engine.name}: claiming a deletion`, () => {
    it("skips deletions that are not due", async (test) => {
      const { store } = await openSite(engine, test);
      await add(store, "transaction", "a");
      await request(store, keyOf("transaction", "a"), { now: 10, dueAt: 1_000 });
      assert.equal(await claim(store, 999), undefined);
      assert.equal((await claim(store, 1_000))?.status, "processing");
    });

    it("claims the one that has been due the longest, and none twice", async (test) => {
      const { store } = await openSite(engine, test);
      const due = [30, 10, 20];
      for (const dueAt of due) {
        await add(store, "transaction", `${dueAt}`);
        await request(store, keyOf("transaction", `${dueAt}`), { now: 1, dueAt });
      }
      const claimed = [await claim(store, 100), await claim(store, 100), await claim(store, 100)];
      assert.deepEqual(
        claimed.map((deletion) => deletion?.resourceId),
        ["10", "20", "30"],
      );
      assert.equal(await claim(store, 100), undefined);
    });

    it("takes turns between organizations, whatever has been due the longest", async (test) => {
      const { store } = await openSite(engine, test);
      for (let index = 0; index < 40; index += 1) {
        await add(store, "transaction", `t${index}`);
        await request(store, keyOf("transaction", `t${index}`), { now: 1, dueAt: index });
      }
      // More than share a claim, and the first ones by id too have more than one.
      const others = Array.from({ length: 40 }, (_, index) => `org_${index + 10}`);
      for (const id of others) {
        for (const name of ["a", "b"]) {
          await write(store, transaction(name), { organizationId: id });
          await request(store, keyOf("transaction", name, id), { now: 1, dueAt: 100 });
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
      await add(store, "transaction", "t");
      await add(store, "transaction_check", "c", { related_tx_ids: ["t"] });
      const id = await request(store, keyOf("transaction", "t"), { now: 1 });
      assert.ok(id !== undefined);
      await claimOne(store, { now: 10, leaseUntil: 20, claimant: "one" });
      await eraseOne(store, id, 1, { actor: "worker", now: -60_000 });
      assert.equal(await claimOne(store, { now: 20, leaseUntil: 30, claimant: "two" }), undefined);
      const again = await claimOne(store, { now: 21, leaseUntil: 30, claimant: "two" });
      assert.equal(again?.attempts, 2);
      assert.equal(again?.startedAt, 10);
      assert.deepEqual(again?.erased, { transaction_check: 1 });
      assert.deepEqual((await finish(store, id)).erased, { transaction: 1, transaction_check: 1 });
    });

    it("is delayed by a postponement, which states the reason", async (test) => {
      const { store } = await openSite(engine, test);
      await add(store, "transaction", "t");
      const id = await request(store, keyOf("transaction", "t"), { now: 1 });
      assert.ok(id !== undefined);
      await claim(store, 10);
      await store.postponeDeletion(id, "the disk was full", 500);
      const waiting = await deletionOf(store, id);
      assert.equal(waiting.waitingFor, "the disk was full");
      assert.equal(waiting.nextAttemptAt, 500);
      assert.equal(waiting.status, "processing");
      assert.equal(await claim(store, 499), undefined);
      const again = await claim(store, 500);
      assert.equal(again?.waitingFor, undefined);
      assert.equal(again?.nextAttemptAt, undefined);
      assert.equal((await finish(store, id)).attempts, 2);
    });

    it("renews its lease with each step", async (test) => {
      const { store } = await openSite(engine, test);
      await add(store, "transaction", "t");
      const id = await request(store, keyOf("transaction", "t"), { now: 1 });
      await claimOne(store, { now: 10, leaseUntil: 20, claimant: "one" });
      await eraseOne(store, id ?? "", 10, { actor: "worker", now: 1_000 });
      assert.equal(await claim(store, 1_001), undefined);
    });

    it("refuses steps of one that is not being processed", async (test) => {
      const { store } = await openSite(engine, test);
      await add(store, "transaction", "t");
      const id = (await request(store, keyOf("transaction", "t"))) ?? "";
      await assert.rejects(eraseOne(store, id, 10, worker));
      await assert.rejects(completeOne(store, id, worker));
      assert.equal(await exists(store, keyOf("transaction", "t")), true);
      await processAll(store);
      await assert.rejects(eraseOne(store, id, 10, worker));
      await assert.rejects(completeOne(store, id, worker));
      await assert.rejects(eraseOne(store, "del_unknown", 10, worker));
    });
  });

  describe(`${engine.name}: the cancellation of a deletion`, () => {
    it("allows writes to the record again, and is possible only while it is pending", async (test) => {
      const { store } = await openSite(engine, test);
      const key = keyOf("transaction", "t");
      await add(store, "transaction", "t");
      const id = (await request(store, key)) ?? "";
      const cancelled = await store.cancelDeletion(id, operator);
      assert.ok(typeof cancelled === "object" && cancelled.status === "cancelled");
      assert.equal(await claim(store), undefined);
      assert.deepEqual((await write(store, transaction("t"), { mode: "update" })).drafts, [
        "updated",
      ]);
      assert.equal(await store.cancelDeletion(id, operator), "not_pending");
      assert.equal(await store.cancelDeletion("del_unknown", operator), "no_such_deletion");
      const second = (await request(store, key)) ?? "";
      assert.notEqual(second, id);
      await claim(store);
      assert.equal(await store.cancelDeletion(second, operator), "not_pending");
      assert.equal((await finish(store, second)).status, "completed");
    });
  });
}

function testOverview(engine: Engine): void {
  describe(`${engine.name}: the list of deletions`, () => {
    // A store that was just opened: organizations take turns from the first one on.
    const site = useSite(engine, {});
    let store: Store;
    before(async () => {
      store = site().store;
      for (const [index, organizationId] of [acme, other, acme, acme, other].entries()) {
        const id = `t${index}`;
        await write(store, transaction(id), { organizationId });
        await request(store, keyOf("transaction", id, organizationId), {
          deletionRequestId: `del_t${index}`,
          now: 100 + index,
          dueAt: index < 3 ? 200 + index : 9_000,
        });
      }
      await store.cancelDeletion("del_t4", operator);
      await finish(store, (await claim(store, 300))?.deletionRequestId ?? "");
      await claim(store, 300);
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

    it("counts by status, and knows since when the oldest has been due", async () => {
      assert.deepEqual(await store.deletionFigures(202), {
        byStatus: { pending: 2, processing: 1, completed: 1, cancelled: 1 },
        held: 0,
        underFloor: 0,
        oldestDueAt: 201,
      });
      assert.equal((await store.deletionFigures(200)).oldestDueAt, undefined);
    });
  });
}

async function listIds(store: Store, filter: Partial<DeletionFilter>): Promise<readonly string[]> {
  const deletions = await store.listDeletions({ limit: 10, ...filter });
  return deletions.map(({ resourceId }) => resourceId);
}
