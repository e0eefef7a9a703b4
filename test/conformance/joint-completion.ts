// Deletions that are completed together: each is evaluated separately, and none affects another.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Completion } from "../../src/store/interface/deletion.ts";
import { makeTestSeal } from "../support/seal.ts";
import { type Engine, openSite } from "./engine.ts";
import { acme, keyOf, operator, organization, worker } from "./scene.ts";
import type { TestStore } from "../support/test-store.ts";

const names = ["a", "b", "c"] as const;

/** Three transactions with a check each, and a claimed deletion of each. */
async function prepare(store: TestStore): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const name of names) {
    await store.add("transaction", name);
    await store.add("transaction_check", `check ${name}`, { related_tx_ids: [name] });
    ids.push(await store.request(keyOf("transaction", name)));
    await store.claim();
  }
  return ids;
}

async function erase(store: TestStore, ids: readonly string[]): Promise<void> {
  for (const id of ids) while (!(await store.eraseOne(id, 5)));
}

function resultsOf(outcomes: readonly Completion[]): readonly string[] {
  return outcomes.map(({ result }) => result);
}

async function requireGone(store: TestStore, gone: readonly string[]): Promise<void> {
  for (const name of gone) {
    assert.equal(await store.exists(keyOf("transaction", name)), false, name);
    assert.equal(await store.exists(keyOf("transaction_check", `check ${name}`)), false, name);
  }
}

async function receiptsOf(store: TestStore): Promise<readonly string[]> {
  const kept = await store.listReceipts(0, 10);
  return kept.map(({ receipt }) => receipt.deletion_request_id);
}

export function testJointClaim(engine: Engine): void {
  describe(`${engine.name}: claiming several deletions together`, () => {
    it("leaves a record to its own deletion that belongs to what stays, too", async (test) => {
      const { store } = await openSite(engine, test);
      await store.createOrganization(organization(acme), operator);
      for (const id of ["goes", "stays"]) await store.add("transaction", id);
      const owners = { related_tx_ids: ["goes", "stays"] };
      await store.add("transaction_check", "of both", {
        ...owners,
        timestamp: "2026-01-31T09:30:00Z",
      });
      const rule = { keepDays: 5, countedFrom: "last_seen", redactable: true } as const;
      const kind = { organizationId: acme, resourceType: "transaction_check" };
      await store.retention.setFloor({ ...kind, rule }, operator);
      const goes = await store.request(keyOf("transaction", "goes"));
      await store.request(keyOf("transaction_check", "of both"));
      const claim = { now: worker.now, leaseUntil: worker.now + 60_000, claimant: "test" };
      const claimed = await store.claimDeletions(claim, 9);
      assert.deepEqual(
        claimed.map(({ deletionRequestId }) => deletionRequestId),
        [goes],
      );
      assert.equal((await store.finish(goes)).status, "completed");
      assert.deepEqual(await store.countRecords(acme), { transaction: 1, transaction_check: 1 });
    });
  });
}

export function testJointCompletion(engine: Engine): void {
  describe(`${engine.name}: completing several deletions together`, () => {
    it("completes all that have nothing left, each with its own receipt", async (test) => {
      const { store } = await openSite(engine, test, { sealReceipt: makeTestSeal() });
      const ids = await prepare(store);
      await erase(store, ids);
      const outcomes = await store.completeDeletions(ids, worker);
      assert.deepEqual(resultsOf(outcomes), ["completed", "completed", "completed"]);
      for (const id of ids) {
        const { status, erased } = await store.deletionOf(id);
        assert.equal(status, "completed");
        assert.deepEqual(erased, { transaction: 1, transaction_check: 1 });
      }
      assert.deepEqual(await receiptsOf(store), ids);
      await requireGone(store, names);
    });

    it("does not complete one that has something left, but completes the others", async (test) => {
      const { store } = await openSite(engine, test, { sealReceipt: makeTestSeal() });
      const ids = await prepare(store);
      const [a = "", b = "", c = ""] = ids;
      await erase(store, ids);
      await store.add("screening", "late", { related_tx_id: "b" });
      const outcomes = await store.completeDeletions(ids, worker);
      assert.deepEqual(resultsOf(outcomes), ["completed", "again", "completed"]);
      assert.equal((await store.deletionOf(b)).status, "processing");
      assert.deepEqual(await receiptsOf(store), [a, c]);
      await store.finish(b);
      assert.deepEqual(await receiptsOf(store), [a, c, b]);
      await requireGone(store, names);
      assert.equal(await store.exists(keyOf("screening", "late")), false);
    });

    it("postpones only one that meets a hold, and reports only that one", async (test) => {
      const { store } = await openSite(engine, test, { sealReceipt: makeTestSeal() });
      const ids = await prepare(store);
      const [a = "", b = "", c = ""] = ids;
      await erase(store, ids);
      const late = keyOf("screening", "late");
      await store.add("screening", "late", { related_tx_id: "a" });
      await store.hold(late);
      const outcomes = await store.completeDeletions(ids, worker);
      assert.deepEqual(resultsOf(outcomes), ["failed", "completed", "completed"]);
      assert.equal((await store.deletionOf(a)).waitingFor, "a hold on screening late");
      assert.equal(await store.exists(late), true);
      assert.deepEqual(await receiptsOf(store), [b, c]);
      await requireGone(store, ["b", "c"]);
    });

    it("refuses one that is not being processed, and completes the others", async (test) => {
      const { store } = await openSite(engine, test, { sealReceipt: makeTestSeal() });
      const ids = await prepare(store);
      await erase(store, ids);
      await store.add("transaction", "cancelled");
      const cancelled = await store.request(keyOf("transaction", "cancelled"));
      await store.cancelDeletion(cancelled, operator);
      const [a = "", b = "", c = ""] = ids;
      const outcomes = await store.completeDeletions([a, cancelled, "del_unknown", b, c], worker);
      const expected = ["completed", "failed", "failed", "completed", "completed"];
      assert.deepEqual(resultsOf(outcomes), expected);
      assert.equal((await store.deletionOf(cancelled)).status, "cancelled");
      assert.equal(await store.exists(keyOf("transaction", "cancelled")), true);
      assert.deepEqual(await receiptsOf(store), ids);
    });

    it("completes each once when requested twice at the same time", async (test) => {
      const { store } = await openSite(engine, test, { sealReceipt: makeTestSeal() });
      const ids = await prepare(store);
      await erase(store, ids);
      const both = await Promise.all([
        store.completeDeletions(ids, worker),
        store.completeDeletions(ids, worker),
      ]);
      for (const index of ids.keys()) {
        const results = new Set(both.map((outcomes) => outcomes[index]?.result));
        assert.deepEqual(results, new Set(["completed", "failed"]));
      }
      assert.deepEqual((await receiptsOf(store)).toSorted(), ids.toSorted());
    });
  });
}
