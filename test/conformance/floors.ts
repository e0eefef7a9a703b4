// Retention floors: nothing is erased before the last floor of what a deletion would erase has
// ended, the deletion says so, and everything is erased together afterwards.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { App } from "../../src/actions/app.ts";
import { findDeletionFor, viewDeletion } from "../../src/actions/deletion/read-deletion.ts";
import { limits } from "../../src/domain/limits.ts";
import type { FloorOrigin } from "../../src/domain/retention/floor.ts";
import type { Deletion } from "../../src/domain/deletion/deletion.ts";
import type { FloorOutcome } from "../../src/store/interface/retention.ts";
import type { Store } from "../../src/store/interface/store.ts";
import { planTargetsAtOnceMax } from "../../src/store/sqlite/erase/large-plan.ts";
import { type Engine, openSite, type Site } from "./engine.ts";
import {
  acme,
  add,
  claim,
  day,
  deletionOf,
  draftOf,
  exists,
  finish,
  hold,
  keyOf,
  onDay,
  operator,
  organization,
  other,
  processAll,
  release,
  request,
  requireConsistent,
  seen,
  worker,
  write,
} from "./scene.ts";
import { completeOne, eraseOne } from "../support/one-deletion.ts";

const root = keyOf("transaction", "t");

const dueOn = (number: number) => new Date(onDay(number)).toISOString();

async function openWithOrganizations(
  engine: Engine,
  test: Parameters<typeof openSite>[1],
): Promise<Site> {
  const site = await openSite(engine, test);
  for (const id of [acme, other]) await site.store.createOrganization(organization(id), operator);
  return site;
}

function setFloor(
  store: Store,
  resourceType: string,
  keepDays: number | undefined,
  countedFrom: FloorOrigin = "last_seen",
): Promise<FloorOutcome> {
  const rule = keepDays === undefined ? undefined : { keepDays, countedFrom };
  return store.retention.setFloor({ organizationId: acme, resourceType, rule }, operator);
}

/** The open deletion waits at this time, and not at the end of its floor, at which it is claimed. */
async function requireFloor(store: Store, id: string, until: number): Promise<Deletion> {
  for (const now of [worker.now, until - 1]) assert.equal(await claim(store, now), undefined);
  const waiting = await deletionOf(store, id);
  assert.deepEqual([waiting.status, waiting.floorUntil], ["pending", until]);
  const claimed = await claim(store, until);
  assert.equal(claimed?.deletionRequestId, id);
  assert.deepEqual([claimed.floorUntil, claimed.waitingFor], [undefined, undefined]);
  return waiting;
}

export function testFloors(engine: Engine): void {
  describe(`${engine.name}: a retention floor`, () => {
    it("is set, changed, listed and removed, each with an audit entry", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      const { length } = await store.listAudit(0, 100);
      assert.deepEqual(await setFloor(store, "transaction", 10), { result: "changed" });
      assert.deepEqual(await setFloor(store, "transaction", 10), { result: "unchanged" });
      assert.deepEqual(await setFloor(store, "person", 20, "closed"), { result: "changed" });
      assert.deepEqual(await setFloor(store, "transaction", 30), { result: "changed" });
      const person = { organizationId: acme, resourceType: "person" };
      const floors = [
        { ...person, keepDays: 20, countedFrom: "closed" },
        { ...person, resourceType: "transaction", keepDays: 30, countedFrom: "last_seen" },
      ];
      assert.deepEqual(await store.retention.listFloors(acme), floors);
      assert.deepEqual(await store.retention.listFloors(undefined), floors);
      assert.deepEqual(await store.retention.listFloors(other), []);
      assert.deepEqual(await setFloor(store, "transaction", undefined), { result: "changed" });
      assert.deepEqual(await setFloor(store, "transaction", undefined), { result: "unchanged" });
      assert.deepEqual(await store.retention.listFloors(acme), floors.slice(0, 1));
      const entries = (await store.listAudit(0, 100)).slice(length);
      assert.deepEqual(
        entries.map(({ action, detail }) => [action, detail["resourceType"], detail["keepDays"]]),
        [
          ["retention.set", "transaction", 10],
          ["retention.set", "person", 20],
          ["retention.set", "transaction", 30],
          ["retention.remove", "transaction", undefined],
        ],
      );
      const unknown = { organizationId: "org_unknown", resourceType: "person", rule: undefined };
      assert.deepEqual(await store.retention.setFloor(unknown, operator), {
        result: "no_such_organization",
      });
      await requireConsistent(store);
    });

    it("can't be longer than the ceiling, whichever of the two is set last", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      await setFloor(store, "transaction", 30);
      const change = { retainDays: 29, name: "Changed" };
      assert.deepEqual(await store.changeOrganization(acme, change, operator), {
        ceilingTooLowFor: {
          organizationId: acme,
          resourceType: "transaction",
          keepDays: 30,
          countedFrom: "last_seen",
        },
      });
      assert.equal((await store.findOrganization(acme))?.name, `Name of ${acme}`);
      await store.changeOrganization(acme, { retainDays: 30 }, operator);
      const above = { result: "above_ceiling", retainDays: 30 };
      assert.deepEqual(await setFloor(store, "transaction", 31), above);
      assert.equal((await store.retention.listFloors(acme))[0]?.keepDays, 30);
      await store.changeOrganization(acme, { retainDays: null }, operator);
      assert.deepEqual(await setFloor(store, "transaction", 31), { result: "changed" });
    });

    it("keeps a deletion pending, visibly, and then all is erased together", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      await add(store, "transaction", "t", seen(2));
      await add(store, "transaction_check", "c", { ...seen(4), related_tx_ids: ["t"] });
      await add(store, "transaction_alert", "a", { ...seen(3), related_check_id: "c" });
      await setFloor(store, "transaction", 5);
      await setFloor(store, "transaction_check", 10);
      const id = (await request(store, root)) ?? "";
      const until = onDay(14);
      const waiting = await requireFloor(store, id, until);
      assert.equal(
        waiting.waitingFor,
        "the retention floor of transaction_check c: 10 days from last_seen, until 1970-01-14",
      );
      assert.equal(waiting.dueAt, operator.now);
      const { erased } = await finish(store, id);
      assert.deepEqual(erased, { transaction: 1, transaction_check: 1, transaction_alert: 1 });
      await requireConsistent(store);
    });

    it("is told as the records are now, whenever the worker has evaluated it", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      for (const type of ["transaction_check", "transaction_suspicious_activity"]) {
        await setFloor(store, type, type === "transaction_check" ? 10 : 1_000);
      }
      await add(store, "transaction", "t", seen(2));
      const check = { related_tx_ids: ["t"] };
      await add(store, "transaction_check", "c", { ...seen(2), ...check });
      const id = (await request(store, root)) ?? "";
      const shown = async () => {
        const deletion = await deletionOf(store, id);
        const reader = {
          organizationId: acme,
          confidential: new Set<string>(),
          covered: new Set<never>(),
        };
        const app = { store, now: () => worker.now } as unknown as App;
        const { due_at } = viewDeletion(await findDeletionFor(app, id, reader), undefined, reader);
        return [deletion.floorUntil, due_at];
      };
      assert.deepEqual(await shown(), [undefined, dueOn(12)]);
      assert.equal(await claim(store), undefined);
      assert.deepEqual(await shown(), [onDay(12), dueOn(12)]);
      const again = draftOf("transaction_check", "c", { ...seen(5), ...check });
      const update = { resourceType: "transaction_check", mode: "update" } as const;
      await write(store, [again], update);
      assert.deepEqual(await shown(), [onDay(12), dueOn(15)]);
      await add(store, "transaction_suspicious_activity", "r", { ...seen(9), ...check });
      assert.deepEqual(await shown(), [onDay(12), dueOn(15)]);
      // A change of a rule makes it due.
      await setFloor(store, "transaction_check", undefined);
      assert.deepEqual(await shown(), [onDay(12), undefined]);
    });

    it("neither hides an overdue deletion nor looks like one", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      for (const id of ["t", "late"]) await add(store, "transaction", id, seen(2));
      await setFloor(store, "transaction", 5);
      await request(store, root);
      await claim(store);
      const figures = await store.deletionFigures(worker.now);
      assert.deepEqual([figures.underFloor, figures.oldestDueAt], [1, undefined]);
      await setFloor(store, "transaction", undefined);
      await claim(store);
      await request(store, keyOf("transaction", "late"), { now: worker.now - 1 });
      const late = await store.deletionFigures(worker.now);
      assert.deepEqual([late.underFloor, late.oldestDueAt], [0, operator.now]);
    });

    it("does not count on a record that only loses a reference", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      for (const id of ["t", "stays"]) await add(store, "transaction", id, seen(1));
      const both = { ...seen(9), related_tx_ids: ["t", "stays"] };
      await add(store, "transaction_check", "c", both);
      await setFloor(store, "transaction_check", 100);
      await request(store, root);
      assert.equal((await processAll(store)).length, 1);
      // Now it belongs to the other transaction only.
      const id = (await request(store, keyOf("transaction", "stays"))) ?? "";
      await requireFloor(store, id, onDay(109));
    });

    it("is counted from closing, or from the request while a person is not closed", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      await add(store, "person", "open", { ...seen(2), account_status: "APPROVED" });
      await add(store, "person", "closed", { ...seen(2), account_status: "CLOSED" });
      const later = draftOf("person", "closed", { ...seen(9), account_status: "CLOSED" });
      await write(store, later, { resourceType: "person", mode: "update" });
      await setFloor(store, "person", 5, "closed");
      const closed = (await request(store, keyOf("person", "closed"))) ?? "";
      await requireFloor(store, closed, onDay(7));
      const open = (await request(store, keyOf("person", "open"))) ?? "";
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
      await write(store, drafts, { resourceType: "person", mode: "append" });
      await setFloor(store, "person", 5, "closed");
      const id = (await request(store, keyOf("person", "p"))) ?? "";
      await requireFloor(store, id, onDay(707));
      await finish(store, id);
    });

    it("is evaluated again when a rule changes, of this organization only", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      await add(store, "transaction", "t", seen(2));
      await setFloor(store, "transaction", 5);
      const id = (await request(store, root)) ?? "";
      const floorOf = async () => {
        assert.equal(await claim(store), undefined);
        return (await deletionOf(store, id)).floorUntil;
      };
      assert.equal(await floorOf(), onDay(7));
      const elsewhere = { organizationId: other, resourceType: "transaction", rule: undefined };
      await store.retention.setFloor(elsewhere, operator);
      assert.equal((await deletionOf(store, id)).nextAttemptAt, onDay(7));
      await setFloor(store, "transaction", 900);
      assert.equal((await deletionOf(store, id)).nextAttemptAt, 0);
      assert.equal(await floorOf(), onDay(902));
      // A record may leave the cascade, so that the end comes earlier than it was known.
      const { nextAttemptAt } = await deletionOf(store, id);
      assert.equal(nextAttemptAt, worker.now + limits.flooredDeletionRetryMs);
      await setFloor(store, "transaction", undefined);
      assert.equal((await processAll(store)).length, 1);
      assert.equal(await exists(store, root), false);
    });

    it("comes after a hold, and before the deletion of what is not kept", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      await add(store, "transaction", "t", seen(2));
      await setFloor(store, "transaction", 5);
      await hold(store, root);
      const id = (await request(store, root)) ?? "";
      await claim(store, onDay(3));
      const held = await deletionOf(store, id);
      assert.deepEqual([held.waitingFor, held.floorUntil], ["a hold on transaction t", undefined]);
      await release(store, root);
      await requireFloor(store, id, onDay(7));
    });

    it("on any record of a large cascade keeps all of it", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      await add(store, "transaction", "t", seen(2));
      const count = 2 * planTargetsAtOnceMax + 50;
      const drafts = Array.from({ length: count }, (_, index) =>
        draftOf("transaction_check", `c${index}`, { ...seen(2), related_tx_ids: ["t"] }),
      );
      await write(store, drafts, { resourceType: "transaction_check" });
      const late = draftOf("transaction_check", `c${count - 1}`, seen(8));
      await write(store, late, { resourceType: "transaction_check", mode: "update" });
      await setFloor(store, "transaction_check", 5);
      const id = (await request(store, root)) ?? "";
      await requireFloor(store, id, onDay(13));
      assert.equal((await finish(store, id, 200)).erased["transaction_check"], count);
      await requireConsistent(store);
    });

    it("that is set while a large cascade is planned is obeyed, or comes too late", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      await add(store, "transaction", "t", seen(2));
      const drafts = Array.from({ length: 5 * planTargetsAtOnceMax }, (_, index) =>
        draftOf("transaction_check", `c${index}`, { ...seen(2), related_tx_ids: ["t"] }),
      );
      await write(store, drafts, { resourceType: "transaction_check" });
      const id = (await request(store, root)) ?? "";
      const claimed = claim(store);
      for (const keepDays of [5, 6]) await setFloor(store, "transaction", keepDays);
      const begun = await claimed;
      if (begun === undefined) {
        assert.equal(await claim(store, worker.now + 2 * limits.deletionLeaseMs), undefined);
        assert.equal((await deletionOf(store, id)).floorUntil, onDay(8));
        await claim(store, onDay(8));
      }
      await finish(store, id, 200);
      await requireConsistent(store);
    });

    it("of a record that arrives during the erasure prevents completion until it ends", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      await setFloor(store, "screening", 5);
      await add(store, "transaction", "t", seen(2));
      const id = (await request(store, root)) ?? "";
      await claim(store);
      await add(store, "screening", "late", { ...seen(2), related_tx_id: "t" });
      while (!(await eraseOne(store, id, 5, worker)));
      await assert.rejects(completeOne(store, id, worker), /retention floor of screening late/);
      await store.postponeDeletion(id, "it waits", worker.now + 1_000);
      const figures = await store.deletionFigures(worker.now + 2_000);
      assert.deepEqual([figures.underFloor, figures.oldestDueAt], [1, undefined]);
      assert.equal(await claim(store, onDay(7) - 1), undefined);
      assert.equal((await claim(store, onDay(7)))?.deletionRequestId, id);
      const act = { ...worker, now: onDay(7) };
      assert.equal(await completeOne(store, id, act), undefined);
      while (!(await eraseOne(store, id, 5, act)));
      assert.equal((await completeOne(store, id, act))?.status, "completed");
      assert.equal(await exists(store, keyOf("screening", "late")), false);
      await requireConsistent(store);
    });

    it("does not prevent the replay of a deletion that was completed", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      await setFloor(store, "transaction", 500);
      await add(store, "transaction", "t", seen(2));
      const completed = { at: 2_000, receiptNo: 1, receiptHash: "a".repeat(64) };
      const by = { requestedBy: "key_1", requestedAt: 1_000, completed };
      await store.replay.queueReplay([
        { kind: "deletion", deletionRequestId: "del_before", ...root, ...by },
      ]);
      await store.replay.reopenDeletions({ after: undefined, limit: 10 }, operator);
      assert.equal((await processAll(store)).length, 1);
      assert.equal(await exists(store, root), false);
    });

    it("on many deletions makes all of them due, whether or not they are checked in one step", async (test) => {
      const { store } = await openWithOrganizations(engine, test);
      await setFloor(store, "transaction", 5);
      const drafts = Array.from({ length: 70 }, (_, index) =>
        draftOf("transaction", `t${index}`, seen(2)),
      );
      await write(store, drafts);
      for (const { id } of drafts) await request(store, keyOf("transaction", id));
      for (let round = 0; round < 3; round += 1) assert.equal(await claim(store), undefined);
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
