// Deletions that are too large for one transaction: a cascade that is planned and verified in
// steps, and a record with more changes than one step removes. The results are the same as for
// small ones.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Draft } from "../../src/domain/record/record-write.ts";
import { type Engine, openSite } from "./engine.ts";
import { acme, draftOf, keyOf, operator } from "./scene.ts";
import { longChangesMax } from "../../src/store/sql/erase/erase-step.ts";
import { planTargetsAtOnceMax } from "../../src/store/sqlite/erase/large-plan.ts";
import { verifiedTargetsAtOnceMax } from "../../src/store/sql/erase/verify-step.ts";
import type { TestStore } from "../support/test-store.ts";

const check = "transaction_check";
const root = keyOf("transaction", "root");
/** More than two steps of planning and of verifying. */
const count = 2 * Math.max(planTargetsAtOnceMax, verifiedTargetsAtOnceMax) + 50;
const stepRecords = 100;

async function addRoot(store: TestStore): Promise<string> {
  await store.add("transaction", "root");
  await store.add("transaction", "other");
  await addChecks(store, "first");
  return await store.request(root);
}

/** Every tenth also belongs to another transaction, and stays. */
async function addChecks(store: TestStore, name: string): Promise<void> {
  const drafts: Draft[] = Array.from({ length: count }, (_, index) =>
    draftOf(check, `${name} ${index}`, {
      related_tx_ids: index % 10 === 0 ? ["root", "other"] : ["root"],
    }),
  );
  assert.equal((await store.write(drafts, { resourceType: check })).written, count);
}

const kept = count / 10;

export function testLargeDeletions(engine: Engine): void {
  describe(`${engine.name}: a deletion with a large cascade`, () => {
    it("erases all of it, and redacts the references to it from records that stay", async (test) => {
      const { store } = await openSite(engine, test);
      const id = await addRoot(store);
      assert.equal((await store.claim())?.status, "processing");
      const { erased, redacted } = await store.finish(id, stepRecords);
      assert.deepEqual(erased, { transaction: 1, [check]: count - kept });
      assert.equal(redacted, kept);
      assert.deepEqual(await store.countRecords(acme), { transaction: 1, [check]: kept });
    });

    it("stays pending without a plan while any of its records is held", async (test) => {
      const { store } = await openSite(engine, test);
      const id = await addRoot(store);
      const held = keyOf(check, `first ${count - 1}`);
      await store.hold(held);
      assert.equal(await store.claim(), undefined);
      const waiting = await store.deletionOf(id);
      assert.equal(waiting.status, "pending");
      assert.match(waiting.waitingFor ?? "", /^a hold on transaction_check/);
      await store.requireConsistent();
      // None of it is closed to holds or writes.
      assert.equal(typeof (await store.hold(keyOf(check, "first 1"))), "object");
      await store.release(held);
      await store.release(keyOf(check, "first 1"));
      assert.equal((await store.claim())?.deletionRequestId, id);
      await store.finish(id, stepRecords);
      assert.equal(await store.exists(held), false);
    });

    it("is either cancelled or processed if it is cancelled while it is being planned", async (test) => {
      const { store } = await openSite(engine, test);
      const id = await addRoot(store);
      const claimed = store.claim();
      const cancelled = await store.cancelDeletion(id, operator);
      const begun = await claimed;
      const { status } = await store.deletionOf(id);
      assert.equal(status, typeof cancelled === "object" ? "cancelled" : "processing");
      assert.equal(begun?.status, status === "cancelled" ? undefined : "processing");
      await store.requireConsistent();
      if (begun !== undefined) await store.finish(id, stepRecords);
      assert.equal(await store.exists(root), begun === undefined);
    });

    it("also erases an equal number of records that arrive while it is processed", async (test) => {
      const { store } = await openSite(engine, test);
      const id = await addRoot(store);
      await store.claim();
      await store.eraseOne(id, stepRecords);
      await addChecks(store, "second");
      const { erased } = await store.finish(id, stepRecords);
      assert.deepEqual(erased, { transaction: 1, [check]: 2 * (count - kept) });
    });

    it("is planned by one of the workers that claim at the same time", async (test) => {
      const { store } = await openSite(engine, test);
      const id = await addRoot(store);
      const claims = await Promise.all([store.claim(), store.claim(), store.claim()]);
      const begun = claims.flatMap((deletion) => deletion?.deletionRequestId ?? []);
      assert.deepEqual(begun, [id]);
      await store.finish(id, stepRecords);
    });
  });

  describe(`${engine.name}: a deletion of a record with many changes`, () => {
    it("erases all of them", async (test) => {
      const { store } = await openSite(engine, test);
      const changes = longChangesMax * 2 + 1;
      const drafts = Array.from({ length: changes }, (_, index) =>
        draftOf("transaction", "root", { amount: index }),
      );
      assert.equal((await store.write(drafts, { mode: "append" })).written, changes);
      const id = await store.request(root);
      await store.claim();
      assert.deepEqual((await store.finish(id)).erased, { transaction: 1 });
      assert.equal(await store.exists(root), false);
    });
  });
}
