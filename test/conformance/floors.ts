// Retention floors: nothing is erased before the last floor of what a deletion would erase has
// ended, the deletion says so, and everything is erased together afterwards.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { App } from "../../src/actions/app.ts";
import { findDeletionFor, viewDeletion } from "../../src/actions/deletion/read-deletion.ts";
import { limits } from "../../src/domain/limits.ts";
import type { Deletion } from "../../src/domain/deletion/deletion.ts";
import { planTargetsAtOnceMax } from "../../src/store/sqlite/erase/large-plan.ts";
import { type Engine, openSite, type Site } from "./engine.ts";
import {
  acme,
  day,
  draftOf,
  keyOf,
  onDay,
  operator,
  organization,
  other,
  seen,
  worker,
} from "./scene.ts";
import type { TestStore } from "../support/test-store.ts";

const root = keyOf("transaction", "t");

const dueOn = (number: number) => new Date(onDay(number)).toISOString();

export async function openWithOrganizations(
  engine: Engine,
  test: Parameters<typeof openSite>[1],
): Promise<Site> {
  const site = await openSite(engine, test);
  for (const id of [acme, other]) await site.store.createOrganization(organization(id), operator);
  return site;
}

/** The open deletion waits at this time, and not at the end of its floor, at which it is claimed. */
async function requireFloor(store: TestStore, id: string, until: number): Promise<Deletion> {
  for (const now of [worker.now, until - 1]) assert.equal(await store.claim(now), undefined);
  const waiting = await store.deletionOf(id);
  assert.deepEqual([waiting.status, waiting.floorUntil], ["pending", until]);
  const claimed = await store.claim(until);
  assert.equal(claimed?.deletionRequestId, id);
  assert.deepEqual([claimed.floorUntil, claimed.waitingFor], [undefined, undefined]);
  return waiting;
}

/** `due_at` in the status, as it is computed from the records. */
export async function shownDueAt(store: TestStore, id: string): Promise<string | undefined> {
  const confidential = new Set<string>();
  const reader = { organizationId: acme, confidential, covered: new Set<never>() };
  const app = { store, now: () => worker.now } as unknown as App;
  const { due_at } = viewDeletion(await findDeletionFor(app, id, reader), undefined, reader);
  return due_at;
}

/** Requests the deletion of one of two transactions, which a check belongs to that is under a floor until day 109. */
async function deleteOneOfTwo(store: TestStore, { redactable = false } = {}): Promise<string> {
  for (const id of ["t", "stays"]) await store.add("transaction", id, seen(1));
  const both = { ...seen(9), related_tx_ids: ["t", "stays"] };
  await store.add("transaction_check", "c", both);
  const rule = { keepDays: 100, countedFrom: "last_seen", redactable } as const;
  const change = { organizationId: acme, resourceType: "transaction_check", rule };
  await store.retention.setFloor(change, operator);
  return store.request(root);
}

export function testFloors(engine: Engine): void {
  describe(`${engine.name}: a retention floor`, () => {
    it("is set, changed, listed and removed, each with an audit entry", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      const { length } = await store.listAudit(0, 100);
      assert.deepEqual(await store.setFloor("transaction", 10), { result: "changed" });
      assert.deepEqual(await store.setFloor("transaction", 10), { result: "unchanged" });
      assert.deepEqual(await store.setFloor("person", 20, "closed"), { result: "changed" });
      assert.deepEqual(await store.setFloor("transaction", 30), { result: "changed" });
      const person = { organizationId: acme, resourceType: "person" };
      const redactable = { keepDays: 30, countedFrom: "last_seen", redactable: true } as const;
      const change = { organizationId: acme, resourceType: "transaction", rule: redactable };
      assert.deepEqual(await store.retention.setFloor(change, operator), { result: "changed" });
      assert.deepEqual(await store.retention.setFloor(change, operator), { result: "unchanged" });
      const floors = [
        { ...person, keepDays: 20, countedFrom: "closed", redactable: false },
        {
          ...person,
          resourceType: "transaction",
          keepDays: 30,
          countedFrom: "last_seen",
          redactable: true,
        },
      ];
      assert.deepEqual(await store.retention.listFloors(acme), floors);
      assert.deepEqual(await store.retention.listRules(undefined), floors);
      assert.deepEqual(await store.retention.listFloors(other), []);
      assert.deepEqual(await store.setFloor("transaction", undefined), { result: "changed" });
      assert.deepEqual(await store.setFloor("transaction", undefined), { result: "unchanged" });
      assert.deepEqual(await store.retention.listFloors(acme), floors.slice(0, 1));
      const entries = (await store.listAudit(0, 100)).slice(length);
      assert.deepEqual(
        entries.map(({ action, detail: { resourceType, keepDays, redactable: may } }) => {
          return [action, resourceType, keepDays, may];
        }),
        [
          ["retention.set", "transaction", 10, false],
          ["retention.set", "person", 20, false],
          ["retention.set", "transaction", 30, false],
          ["retention.set", "transaction", 30, true],
          ["retention.remove", "transaction", undefined, undefined],
        ],
      );
      const unknown = { organizationId: "org_unknown", resourceType: "person", rule: undefined };
      assert.deepEqual(await store.retention.setFloor(unknown, operator), {
        result: "no_such_organization",
      });
    });

    it("can't be longer than the ceiling, whichever of the two is set last", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      await store.setFloor("transaction", 30);
      const change = { retainDays: 29, name: "Changed" };
      assert.deepEqual(await store.changeOrganization(acme, change, operator), {
        ceilingTooLowFor: {
          organizationId: acme,
          resourceType: "transaction",
          keepDays: 30,
          countedFrom: "last_seen",
          redactable: false,
        },
      });
      assert.equal((await store.findOrganization(acme))?.name, `Name of ${acme}`);
      await store.changeOrganization(acme, { retainDays: 30 }, operator);
      const above = { result: "above_ceiling", ceilingDays: 30 };
      assert.deepEqual(await store.setFloor("transaction", 31), above);
      assert.equal((await store.retention.listFloors(acme))[0]?.keepDays, 30);
      await store.changeOrganization(acme, { retainDays: null }, operator);
      assert.deepEqual(await store.setFloor("transaction", 31), { result: "changed" });
    });

    it("keeps a deletion pending, visibly, and then all is erased together", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      await store.add("transaction", "t", seen(2));
      await store.add("transaction_check", "c", { ...seen(4), related_tx_ids: ["t"] });
      await store.add("transaction_alert", "a", { ...seen(3), related_check_id: "c" });
      await store.setFloor("transaction", 5);
      await store.setFloor("transaction_check", 10);
      const id = await store.request(root);
      const until = onDay(14);
      const waiting = await requireFloor(store, id, until);
      assert.equal(
        waiting.waitingFor,
        "the retention floor of transaction check c: 10 days from last_seen, until 1970-01-14",
      );
      assert.equal(waiting.dueAt, operator.now);
      const { erased } = await store.finish(id);
      assert.deepEqual(erased, { transaction: 1, transaction_check: 1, transaction_alert: 1 });
    });

    it("is told as the records are now, whenever the worker has evaluated it", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      for (const type of ["transaction_check", "transaction_suspicious_activity"]) {
        await store.setFloor(type, type === "transaction_check" ? 10 : 1_000);
      }
      await store.add("transaction", "t", seen(2));
      const check = { related_tx_ids: ["t"] };
      await store.add("transaction_check", "c", { ...seen(2), ...check });
      const id = await store.request(root);
      const shown = async () => {
        const deletion = await store.deletionOf(id);
        return [deletion.floorUntil, await shownDueAt(store, id)];
      };
      assert.deepEqual(await shown(), [undefined, dueOn(12)]);
      assert.equal(await store.claim(), undefined);
      assert.deepEqual(await shown(), [onDay(12), dueOn(12)]);
      const again = draftOf("transaction_check", "c", { ...seen(5), ...check });
      const update = { resourceType: "transaction_check", mode: "update" } as const;
      await store.write([again], update);
      assert.deepEqual(await shown(), [onDay(12), dueOn(15)]);
      await store.add("transaction_suspicious_activity", "r", { ...seen(9), ...check });
      assert.deepEqual(await shown(), [onDay(12), dueOn(15)]);
      // A change of a rule makes it due.
      await store.setFloor("transaction_check", undefined);
      assert.deepEqual(await shown(), [onDay(12), undefined]);
    });

    it("neither hides an overdue deletion nor looks like one", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      for (const id of ["t", "late"]) await store.add("transaction", id, seen(2));
      await store.setFloor("transaction", 5);
      await store.request(root);
      await store.claim();
      const figures = await store.deletionFigures(worker.now);
      assert.deepEqual([figures.underFloor, figures.oldestDueAt], [1, undefined]);
      await store.setFloor("transaction", undefined);
      await store.claim();
      await store.request(keyOf("transaction", "late"), { now: worker.now - 1 });
      const late = await store.deletionFigures(worker.now);
      assert.deepEqual([late.underFloor, late.oldestDueAt], [0, operator.now]);
    });

    it("counts on a record that only loses a reference", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      const id = await deleteOneOfTwo(store);
      assert.equal(await shownDueAt(store, id), dueOn(109));
      const { waitingFor = "" } = await requireFloor(store, id, onDay(109));
      assert.match(waitingFor, /^the retention floor of transaction check c: 100 days/);
      await store.finish(id);
    });

    it("that is redactable does not count on a record that only loses a reference", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      await deleteOneOfTwo(store, { redactable: true });
      assert.equal((await store.processAll()).length, 1);
      // Now it belongs to the other transaction only.
      const id = await store.request(keyOf("transaction", "stays"));
      await requireFloor(store, id, onDay(109));
    });

    it("on a record of a large cascade that only loses a reference keeps all of it", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      const count = planTargetsAtOnceMax + 50;
      const drafts = Array.from({ length: count }, (_, index) =>
        draftOf("screening", `s${index}`, { ...seen(2), related_tx_id: "t" }),
      );
      await store.write(drafts, { resourceType: "screening" });
      await requireFloor(store, await deleteOneOfTwo(store), onDay(109));
    });

    it("is counted from closing, or from the request while a person is not closed", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      await store.add("person", "open", { ...seen(2), account_status: "APPROVED" });
      await store.add("person", "closed", { ...seen(2), account_status: "CLOSED" });
      const later = draftOf("person", "closed", { ...seen(9), account_status: "CLOSED" });
      await store.write(later, { resourceType: "person", mode: "update" });
      await store.setFloor("person", 5, "closed");
      const closed = await store.request(keyOf("person", "closed"));
      await requireFloor(store, closed, onDay(7));
      const open = await store.request(keyOf("person", "open"));
      await requireFloor(store, open, operator.now + 5 * day);
    });

    it("finds the closing in a long history", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      const drafts = Array.from({ length: 1_200 }, (_, index) =>
        draftOf("person", "p", {
          ...seen(2 + index),
          account_status: index < 700 ? "APPROVED" : "CLOSED",
        }),
      );
      await store.write(drafts, { resourceType: "person", mode: "append" });
      await store.setFloor("person", 5, "closed");
      const id = await store.request(keyOf("person", "p"));
      await requireFloor(store, id, onDay(707));
      await store.finish(id);
    });

    it("is evaluated again when a rule changes, of this organization only", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      await store.add("transaction", "t", seen(2));
      await store.setFloor("transaction", 5);
      const id = await store.request(root);
      const floorOf = async () => {
        assert.equal(await store.claim(), undefined);
        return (await store.deletionOf(id)).floorUntil;
      };
      assert.equal(await floorOf(), onDay(7));
      const elsewhere = { organizationId: other, resourceType: "transaction", rule: undefined };
      await store.retention.setFloor(elsewhere, operator);
      assert.equal((await store.deletionOf(id)).nextAttemptAt, onDay(7));
      await store.setFloor("transaction", 900);
      assert.equal((await store.deletionOf(id)).nextAttemptAt, 0);
      assert.equal(await floorOf(), onDay(902));
      // A record may leave the cascade, so that the end comes earlier than it was known.
      const { nextAttemptAt } = await store.deletionOf(id);
      assert.equal(nextAttemptAt, worker.now + limits.flooredDeletionRetryMs);
      await store.setFloor("transaction", undefined);
      assert.equal((await store.processAll()).length, 1);
      assert.equal(await store.exists(root), false);
    });

    it("comes after a hold, and before the deletion of what is not kept", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      await store.add("transaction", "t", seen(2));
      await store.setFloor("transaction", 5);
      await store.hold(root);
      const id = await store.request(root);
      await store.claim(onDay(3));
      const held = await store.deletionOf(id);
      assert.deepEqual([held.waitingFor, held.floorUntil], ["a hold on transaction t", undefined]);
      await store.release(root);
      await requireFloor(store, id, onDay(7));
    });

    it("on any record of a large cascade keeps all of it", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      await store.add("transaction", "t", seen(2));
      const count = 2 * planTargetsAtOnceMax + 50;
      const drafts = Array.from({ length: count }, (_, index) =>
        draftOf("transaction_check", `c${index}`, { ...seen(2), related_tx_ids: ["t"] }),
      );
      await store.write(drafts, { resourceType: "transaction_check" });
      const late = draftOf("transaction_check", `c${count - 1}`, seen(8));
      await store.write(late, { resourceType: "transaction_check", mode: "update" });
      await store.setFloor("transaction_check", 5);
      const id = await store.request(root);
      await requireFloor(store, id, onDay(13));
      assert.equal((await store.finish(id, 200)).erased["transaction_check"], count);
    });

    it("that is set while a large cascade is planned is obeyed, or comes too late", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      await store.add("transaction", "t", seen(2));
      const drafts = Array.from({ length: 5 * planTargetsAtOnceMax }, (_, index) =>
        draftOf("transaction_check", `c${index}`, { ...seen(2), related_tx_ids: ["t"] }),
      );
      await store.write(drafts, { resourceType: "transaction_check" });
      const id = await store.request(root);
      const claimed = store.claim();
      for (const keepDays of [5, 6]) await store.setFloor("transaction", keepDays);
      const begun = await claimed;
      if (begun === undefined) {
        assert.equal(await store.claim(worker.now + 2 * limits.deletionLeaseMs), undefined);
        assert.equal((await store.deletionOf(id)).floorUntil, onDay(8));
        await store.claim(onDay(8));
      }
      await store.finish(id, 200);
    });

    it("of a record that arrives during the erasure prevents completion until it ends", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      await store.setFloor("screening", 5);
      await store.add("transaction", "t", seen(2));
      const id = await store.request(root);
      await store.claim();
      await store.add("screening", "late", { ...seen(2), related_tx_id: "t" });
      while (!(await store.eraseOne(id, 5)));
      await assert.rejects(store.completeOne(id), /retention floor of screening late/);
      await store.postponeDeletion(id, "it waits", worker.now + 1_000);
      const figures = await store.deletionFigures(worker.now + 2_000);
      assert.deepEqual([figures.underFloor, figures.oldestDueAt], [1, undefined]);
      assert.equal(await store.claim(onDay(7) - 1), undefined);
      assert.equal((await store.claim(onDay(7)))?.deletionRequestId, id);
      const act = { ...worker, now: onDay(7) };
      assert.equal(await store.completeOne(id, act), undefined);
      while (!(await store.eraseOne(id, 5, act)));
      assert.equal((await store.completeOne(id, act))?.status, "completed");
      assert.equal(await store.exists(keyOf("screening", "late")), false);
    });

    it("does not prevent the replay of a deletion that was completed", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      await store.setFloor("transaction", 500);
      await store.add("transaction", "t", seen(2));
      const completed = { at: 2_000, receiptNo: 1, receiptHash: "a".repeat(64) };
      const by = { requestedBy: "key_1", requestedAt: 1_000, completed };
      await store.replay.queueReplay([
        { kind: "deletion", deletionRequestId: "del_before", ...root, ...by },
      ]);
      await store.replay.reopenDeletions({ after: undefined, limit: 10 }, operator);
      assert.equal((await store.processAll()).length, 1);
      assert.equal(await store.exists(root), false);
    });

    it("on many deletions makes all of them due, whether or not they are checked in one step", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      await store.setFloor("transaction", 5);
      const drafts = Array.from({ length: 70 }, (_, index) =>
        draftOf("transaction", `t${index}`, seen(2)),
      );
      await store.write(drafts);
      for (const { id } of drafts) await store.request(keyOf("transaction", id));
      for (let round = 0; round < 3; round += 1) assert.equal(await store.claim(), undefined);
      assert.equal((await store.deletionFigures(worker.now)).underFloor, 70);
      assert.equal(await store.retention.wakeFrom(acme, "del_zzz"), undefined);
      const nextOf = async () => {
        const all = await store.listDeletions({ organizationId: acme, limit: 100 });
        return new Set(all.map(({ nextAttemptAt }) => nextAttemptAt));
      };
      assert.deepEqual(await nextOf(), new Set([onDay(7)]));
      assert.equal(await store.retention.wakeFrom(acme, ""), undefined);
      assert.deepEqual(await nextOf(), new Set([0]));
    });
  });
}
