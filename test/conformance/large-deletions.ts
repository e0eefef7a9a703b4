// Deletions that are too large for one transaction: a cascade that is planned and verified in
// steps, and a record with more changes than one step removes. The results are the same as for
// small ones.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Draft } from "../../src/domain/record/record-write.ts";
import type { Store } from "../../src/store/interface/store.ts";
import { type Engine, openSite } from "./engine.ts";
import {
  acme,
  add,
  claim,
  deletionOf,
  draftOf,
  exists,
  finish,
  hold,
  keyOf,
  operator,
  release,
  request,
  requireConsistent,
  worker,
  write,
} from "./scene.ts";
import { longChangesMax } from "../../src/store/sql/erase/erase-step.ts";
import { planTargetsAtOnceMax } from "../../src/store/sqlite/erase/large-plan.ts";
import { verifiedTargetsAtOnceMax } from "../../src/store/sql/erase/verify-step.ts";
import { eraseOne } from "../support/one-deletion.ts";

const check = "transaction_check";
const root = keyOf("transaction", "root");
/** More than two steps of planning and of verifying. */
const count = 2 * Math.max(planTargetsAtOnceMax, verifiedTargetsAtOnceMax) + 50;
const stepRecords = 100;

async function addRoot(store: Store): Promise<string> {
  await add(store, "transaction", "root");
  await add(store, "transaction", "other");
  await addChecks(store, "first");
  return (await request(store, root)) ?? "";
}

/** Every tenth also belongs to another transaction, and stays. */
async function addChecks(store: Store, name: string): Promise<void> {
  const drafts: Draft[] = Array.from({ length: count }, (_, index) =>
    draftOf(check, `${name} ${index}`, {
      related_tx_ids: index % 10 === 0 ? ["root", "other"] : ["root"],
    }),
  );
  assert.equal((await write(store, drafts, { resourceType: check })).written, count);
}

const kept = count / 10;

export function testLargeDeletions(engine: Engine): void {
  describe(`${engine.name}: a deletion with a large cascade`, () => {
    it("erases all of it, and redacts the references to it from records that stay", async (test) => {
      const { store } = await openSite(engine, test);
      const id = await addRoot(store);
      assert.equal((await claim(store))?.status, "processing");
      const { erased, redacted } = await finish(store, id, stepRecords);
      assert.deepEqual(erased, { transaction: 1, [check]: count - kept });
      assert.equal(redacted, kept);
      assert.deepEqual(await store.countRecords(acme), { transaction: 1, [check]: kept });
      await requireConsistent(store);
    });

    it("stays pending without a plan while any of its records is held", async (test) => {
      const { store } = await openSite(engine, test);
      const id = await addRoot(store);
      const held = keyOf(check, `first ${count - 1}`);
      await hold(store, held);
      assert.equal(await claim(store), undefined);
      const waiting = await deletionOf(store, id);
      assert.equal(waiting.status, "pending");
      assert.match(waiting.waitingFor ?? "", /^a hold on transaction_check/);
      await requireConsistent(store);
      // None of it is closed to holds or writes.
      assert.equal(typeof (await hold(store, keyOf(check, "first 1"))), "object");
      await release(store, held);
      await release(store, keyOf(check, "first 1"));
      assert.equal((await claim(store))?.deletionRequestId, id);
      await finish(store, id, stepRecords);
      assert.equal(await exists(store, held), false);
      await requireConsistent(store);
    });

    it("is either cancelled or processed if it is cancelled while it is being planned", async (test) => {
      const { store } = await openSite(engine, test);
      const id = await addRoot(store);
      const claimed = claim(store);
      const cancelled = await store.cancelDeletion(id, operator);
      const begun = await claimed;
      const { status } = await deletionOf(store, id);
      assert.equal(status, typeof cancelled === "object" ? "cancelled" : "processing");
      assert.equal(begun?.status, status === "cancelled" ? undefined : "processing");
      await requireConsistent(store);
      if (begun !== undefined) await finish(store, id, stepRecords);
      assert.equal(await exists(store, root), begun === undefined);
    });

    it("also erases an equal number of records that arrive while it is processed", async (test) => {
      const { store } = await openSite(engine, test);
      const id = await addRoot(store);
      await claim(store);
      await eraseOne(store, id, stepRecords, worker);
      await addChecks(store, "second");
      const { erased } = await finish(store, id, stepRecords);
      assert.deepEqual(erased, { transaction: 1, [check]: 2 * (count - kept) });
      await requireConsistent(store);
    });

    it("is planned by one of the workers that claim at the same time", async (test) => {
      const { store } = await openSite(engine, test);
      const id = await addRoot(store);
      const claims = await Promise.all([claim(store), claim(store), claim(store)]);
      const begun = claims.flatMap((deletion) => deletion?.deletionRequestId ?? []);
      assert.deepEqual(begun, [id]);
      await finish(store, id, stepRecords);
      await requireConsistent(store);
    });
  });

  describe(`${engine.name}: a deletion of a record with many changes`, () => {
    it("erases all of them", async (test) => {
      const { store } = await openSite(engine, test);
      const changes = longChangesMax * 2 + 1;
      const drafts = Array.from({ length: changes }, (_, index) =>
        draftOf("transaction", "root", { amount: index }),
      );
      assert.equal((await write(store, drafts, { mode: "append" })).written, changes);
      const id = (await request(store, root)) ?? "";
      await claim(store);
      assert.deepEqual((await finish(store, id)).erased, { transaction: 1 });
      assert.equal(await exists(store, root), false);
      await requireConsistent(store);
    });
  });
}
