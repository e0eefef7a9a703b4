// References in records with very many changes: they are redacted and verified part by part, with the same result as in
// a record with few changes. Deletions that are too large for one transaction: a cascade that is planned and verified
// in steps, and a record with more changes than one step removes. The results are the same as for small ones.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isPseudonym } from "../../src/domain/deletion/party.ts";
import { limits } from "../../src/domain/limits.ts";
import type { Payload } from "../../src/domain/record-type.ts";
import { type Engine, openSite } from "./engine.ts";
import { acme, draftOf, keyOf, operator, worker } from "./scene.ts";
import type { TestStore } from "../support/test-store.ts";
import type { Draft } from "../../src/domain/record/record-write.ts";
import { longChangesMax } from "../../src/store/sql/erase/shorten-records.ts";
import { planTargetsAtOnceMax } from "../../src/store/sqlite/erase/large-plan.ts";

/** More than two steps rewrite. */
const changeCount = 2 * limits.rewrittenChangesMax + 50;
const countries = { sender_country: "DE", receiver_country: "DE" };
const alert = "transaction_alert";

/** Adds a record with so many different changes. */
async function addLong(store: TestStore, resourceType: string, fields: Payload): Promise<void> {
  const drafts = Array.from({ length: changeCount }, (_, index) => {
    const timestamp = new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString();
    return draftOf(resourceType, "long", { ...fields, timestamp });
  });
  const outcome = await store.write(drafts, { resourceType, mode: "append" });
  assert.equal(outcome.written, changeCount);
}

async function countThat(
  store: TestStore,
  resourceType: string,
  isCounted: (payload: Payload) => boolean,
): Promise<number> {
  return (await store.payloadsOf(keyOf(resourceType, "long"))).filter(isCounted).length;
}

function countSent(store: TestStore, isSender: (id: unknown) => boolean): Promise<number> {
  return countThat(store, "transaction", ({ sender_id }) => isSender(sender_id));
}

function hasIt({ related_tx_ids: ids }: Payload): boolean {
  return Array.isArray(ids) && ids.includes("t");
}

export function testLongRedactions(engine: Engine): void {
  describe(`${engine.name}: a record with many changes that names what is erased`, () => {
    it("loses a person in bounded steps, also after a restart and in later changes", async (test) => {
      const site = await openSite(engine, test);
      await site.store.add("person", "p");
      await addLong(site.store, "transaction", { ...countries, sender_id: "p", receiver_id: "q" });
      const id = await site.store.request(keyOf("person", "p"));
      let store = site.store;
      let steps = 0;
      for (let before = 0, isCompleted = false; !isCompleted; steps += 1) {
        assert.ok(steps < 20);
        await store.claim(worker.now + steps * 120_000);
        const isErased = await store.eraseOne(id, 10);
        const after = await countSent(store, isPseudonym);
        assert.ok(after - before <= limits.rewrittenChangesMax, `${after - before} in one step`);
        if (before > 0 && after < changeCount) {
          const late = { ...countries, sender_id: "p", receiver_id: "q", amount: steps };
          await store.write(draftOf("transaction", "long", late), { mode: "append" });
        }
        before = after;
        if (isErased) isCompleted = (await store.completeOne(id)) !== undefined;
        store = await site.reopen();
      }
      assert.ok(steps > 2);
      assert.equal(await countSent(store, (sender) => sender === "p"), 0);
      assert.ok((await countSent(store, isPseudonym)) > changeCount);
      const { redactedByType, status } = await store.deletionOf(id);
      assert.deepEqual([status, redactedByType], ["completed", { transaction: 1 }]);
      // A change is identical to what is stored now.
      const [first] = await store.payloadsOf(keyOf("transaction", "long"));
      const again = await store.write(draftOf("transaction", "long", { ...first }), {
        lenient: true,
      });
      assert.deepEqual(again.drafts, ["identical_record_exists"]);
    });

    it("loses a reference in bounded steps, and its relation with the last of them", async (test) => {
      const { store } = await openSite(engine, test);
      for (const tx of ["t", "stays"]) await store.add("transaction", tx);
      await addLong(store, alert, { related_tx_ids: ["t", "stays"] });
      const id = await store.request(keyOf("transaction", "t"));
      await store.claim();
      let before = changeCount;
      for (let isErased = false; !isErased;) {
        isErased = await store.eraseOne(id, 10);
        const after = await countThat(store, alert, hasIt);
        assert.ok(before - after <= limits.rewrittenChangesMax, `${before - after} in one step`);
        before = after;
      }
      const { redacted, erased } = await store.finish(id);
      assert.deepEqual([redacted, erased], [1, { transaction: 1 }]);
      assert.equal(await countThat(store, alert, hasIt), 0);
    });

    for (const changeOf of ["first", "last"]) {
      it(`keeps a person that its ${changeOf} change names, while it is under a hold`, async (test) => {
        const { store } = await openSite(engine, test);
        for (const person of ["p", 'p\u00e9"\\']) await store.add("person", person);
        const naming = draftOf("transaction", "long", { ...countries, receiver_id: 'p\u00e9"\\' });
        if (changeOf === "first") await store.write(naming, { mode: "append" });
        await addLong(store, "transaction", { ...countries, sender_id: "q" });
        if (changeOf === "last") await store.write(naming, { mode: "append" });
        await store.hold(keyOf("transaction", "long"));
        const [named, other] = [keyOf("person", 'p\u00e9"\\'), keyOf("person", "p")];
        const [waiting, id] = [await store.request(named), await store.request(other)];
        assert.equal((await store.claim())?.deletionRequestId, id);
        assert.equal(await store.claim(), undefined);
        assert.equal((await store.deletionOf(waiting)).waitingFor, "a hold on transaction long");
        await store.release(keyOf("transaction", "long"));
        await store.finish(id);
        await store.processAll();
        assert.equal((await store.deletionOf(waiting)).status, "completed");
      });
    }

    it("lets other deletions complete meanwhile", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("person", "p");
      await store.add("screening", "other");
      await addLong(store, "transaction", { ...countries, sender_id: "p" });
      const long = await store.request(keyOf("person", "p"));
      const other = await store.request(keyOf("screening", "other"));
      const claim = { now: worker.now, leaseUntil: worker.now + 60_000, claimant: "test" };
      await store.claimDeletions(claim, 2);
      while (!(await store.eraseOne(long, 10)));
      assert.equal(await store.completeOne(long), undefined);
      const done = new Set<string>();
      for (let steps = 0; steps < 3; steps += 1) {
        for (const one of (await store.eraseStep([long, other], 10, worker)).done) done.add(one);
      }
      assert.deepEqual([...done], [other]);
      await store.completeOne(other);
      await store.finish(long);
    });
  });
}

const check = "transaction_check";
const root = keyOf("transaction", "root");
/** More than two steps of planning and of verifying. */
const count = 2 * Math.max(planTargetsAtOnceMax, limits.erasureStepRecordsMax) + 48;
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
      assert.match(waiting.waitingFor ?? "", /^a hold on transaction check/);
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

  describe(`${engine.name}: several deletions with large cascades`, () => {
    it("are begun by one claim, or by the next if planning one takes long", async (test) => {
      const { store } = await openSite(engine, test);
      const ids: string[] = [];
      for (const id of ["one", "two"]) {
        await store.add("transaction", id);
        const fields = { related_tx_ids: [id] };
        const checks = Array.from({ length: 1_001 }, (_, at) =>
          draftOf(check, `${id} ${at}`, fields),
        );
        await store.write(checks, { resourceType: check });
        ids.push(await store.request(keyOf("transaction", id)));
      }
      const { now } = worker;
      const claim = { now, leaseUntil: now + limits.deletionLeaseMs, claimant: "test" };
      const begun = [...(await store.claimDeletions(claim, 2))];
      if (begun.length < 2) begun.push(...(await store.claimDeletions(claim, 2)));
      assert.deepEqual(begun.map((deletion) => deletion.deletionRequestId).sort(), ids.sort());
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
