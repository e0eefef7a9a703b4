// Deletions that are completed together: each is evaluated separately, and none affects another.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Store } from "../../src/store/interface/store.ts";
import type { Completion } from "../../src/store/interface/deletion.ts";
import { makeTestSeal } from "../support/seal.ts";
import { type Engine, openSite } from "./engine.ts";
import {
  add,
  claim,
  deletionOf,
  exists,
  finish,
  hold,
  keyOf,
  operator,
  request,
  requireConsistent,
  worker,
} from "./scene.ts";
import { eraseOne } from "../support/one-deletion.ts";

const names = ["a", "b", "c"] as const;

/** Three transactions with a check each, and a claimed deletion of each. */
async function prepare(store: Store): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const name of names) {
    await add(store, "transaction", name);
    await add(store, "transaction_check", `check ${name}`, { related_tx_ids: [name] });
    ids.push((await request(store, keyOf("transaction", name))) ?? "");
    await claim(store);
  }
  return ids;
}

async function erase(store: Store, ids: readonly string[]): Promise<void> {
  for (const id of ids) while (!(await eraseOne(store, id, 5, worker)));
}

function resultsOf(outcomes: readonly Completion[]): readonly string[] {
  return outcomes.map(({ result }) => result);
}

async function requireGone(store: Store, gone: readonly string[]): Promise<void> {
  for (const name of gone) {
    assert.equal(await exists(store, keyOf("transaction", name)), false, name);
    assert.equal(await exists(store, keyOf("transaction_check", `check ${name}`)), false, name);
  }
}

async function receiptsOf(store: Store): Promise<readonly string[]> {
  const kept = await store.listReceipts(0, 10);
  return kept.map(({ receipt }) => receipt.deletion_request_id);
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
        const { status, erased } = await deletionOf(store, id);
        assert.equal(status, "completed");
        assert.deepEqual(erased, { transaction: 1, transaction_check: 1 });
      }
      assert.deepEqual(await receiptsOf(store), ids);
      await requireGone(store, names);
      await requireConsistent(store);
    });

    it("does not complete one that has something left, but completes the others", async (test) => {
      const { store } = await openSite(engine, test, { sealReceipt: makeTestSeal() });
      const ids = await prepare(store);
      const [a = "", b = "", c = ""] = ids;
      await erase(store, ids);
      await add(store, "screening", "late", { related_tx_id: "b" });
      const outcomes = await store.completeDeletions(ids, worker);
      assert.deepEqual(resultsOf(outcomes), ["completed", "again", "completed"]);
      assert.equal((await deletionOf(store, b)).status, "processing");
      assert.deepEqual(await receiptsOf(store), [a, c]);
      await finish(store, b);
      assert.deepEqual(await receiptsOf(store), [a, c, b]);
      await requireGone(store, names);
      assert.equal(await exists(store, keyOf("screening", "late")), false);
      await requireConsistent(store);
    });

    it("postpones only one that meets a hold, and reports only that one", async (test) => {
      const { store } = await openSite(engine, test, { sealReceipt: makeTestSeal() });
      const ids = await prepare(store);
      const [a = "", b = "", c = ""] = ids;
      await erase(store, ids);
      const late = keyOf("screening", "late");
      await add(store, "screening", "late", { related_tx_id: "a" });
      await hold(store, late);
      const outcomes = await store.completeDeletions(ids, worker);
      assert.deepEqual(resultsOf(outcomes), ["failed", "completed", "completed"]);
      assert.equal((await deletionOf(store, a)).waitingFor, "a hold on screening late");
      assert.equal(await exists(store, late), true);
      assert.deepEqual(await receiptsOf(store), [b, c]);
      await requireGone(store, ["b", "c"]);
    });

    it("refuses one that is not being processed, and completes the others", async (test) => {
      const { store } = await openSite(engine, test, { sealReceipt: makeTestSeal() });
      const ids = await prepare(store);
      await erase(store, ids);
      await add(store, "transaction", "cancelled");
      const cancelled = (await request(store, keyOf("transaction", "cancelled"))) ?? "";
      await store.cancelDeletion(cancelled, operator);
      const [a = "", b = "", c = ""] = ids;
      const outcomes = await store.completeDeletions([a, cancelled, "del_unknown", b, c], worker);
      const expected = ["completed", "failed", "failed", "completed", "completed"];
      assert.deepEqual(resultsOf(outcomes), expected);
      assert.equal((await deletionOf(store, cancelled)).status, "cancelled");
      assert.equal(await exists(store, keyOf("transaction", "cancelled")), true);
      assert.deepEqual(await receiptsOf(store), ids);
      await requireConsistent(store);
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
      await requireConsistent(store);
    });
  });
}
