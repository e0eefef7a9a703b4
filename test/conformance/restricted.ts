// The restricted store: confidential reports that have to be kept, and what supports them, leave the
// organization with the deletion at once, and are erased when the last obligation has ended.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Deletion } from "../../src/domain/deletion/deletion.ts";
import { restrictedId } from "../../src/domain/deletion/restricted-set.ts";
import { limits } from "../../src/domain/limits.ts";
import type { Payload } from "../../src/domain/record-type.ts";
import type { FloorOrigin } from "../../src/domain/retention/floor.ts";
import { type Engine, openAcme } from "./engine.ts";
import {
  acme,
  day,
  draftOf,
  keyOf,
  mark,
  noFigures,
  onDay,
  operator,
  seen,
  worker,
} from "./scene.ts";
import type { TestStore } from "../support/test-store.ts";

const report = "transaction_suspicious_activity";

export async function setFloor(
  store: TestStore,
  resourceType: string,
  keepDays: number | undefined,
  countedFrom: FloorOrigin = "last_seen",
): Promise<void> {
  await store.setFloor(resourceType, keepDays, countedFrom);
  await store.retention.wakeSetsFrom(acme, "");
}

/** Requests a deletion and processes it; it must complete at once. */
export async function deleteNow(
  store: TestStore,
  [type, id]: readonly [string, string],
  now = worker.now,
) {
  const deletionRequestId = await store.request(keyOf(type, id));
  const done = await store.processAll(now);
  const deletion = done.find((one) => one.deletionRequestId === deletionRequestId);
  assert.equal(deletion?.status, "completed");
  assert.equal(await store.exists(keyOf(type, id)), false);
  await store.requireConsistent();
  return { ...deletion, set: restrictedId(deletionRequestId) };
}

/** The set is not erased before this time, and then is. */
async function requireEnd(store: TestStore, set: string, until: number): Promise<Deletion> {
  // A large set is evaluated by a clock that goes on meanwhile.
  const all = await store.processAll(until - 60_000);
  assert.deepEqual(all, []);
  assert.equal((await store.deletionOf(set)).status, "pending");
  const done = await store.processAll(until);
  const deletion = done.find(({ deletionRequestId }) => deletionRequestId === set);
  assert.equal(deletion?.status, "completed");
  assert.deepEqual(await store.countRecords(set), {});
  await store.requireConsistent();
  return deletion;
}

async function addReport(store: TestStore, id: string, fields: Payload): Promise<void> {
  await store.add(report, id, { report_filed_at: undefined, ...seen(2), ...fields });
}

function completed(receiptNo: number) {
  return { completed: { at: 2_000, receiptNo, receiptHash: "a".repeat(64) } };
}

export function testRestricted(engine: Engine): void {
  describe(`${engine.name}: the restricted store`, () => {
    it("takes a report under a floor, with its history, and the rest is erased", async (test) => {
      const { store } = await openAcme(engine, test);
      await setFloor(store, "customer_sar", 5);
      await store.add("person", "p", seen(2));
      await store.add("risk_assessment", "r", { ...seen(2), related_person_id: "p" });
      const sar = draftOf("customer_sar", "s", { ...seen(2), related_person_id: "p" });
      const options = { resourceType: "customer_sar", idempotency: mark("sar") };
      await store.write(sar, options);
      const later = draftOf("customer_sar", "s", { ...seen(3), related_person_id: "p" });
      await store.write(later, { resourceType: "customer_sar", mode: "update" });

      const { set, erased, kept } = await deleteNow(store, ["person", "p"]);
      assert.deepEqual(erased, { person: 1, risk_assessment: 1 });
      assert.deepEqual(kept, { customer_sar: 1 });
      assert.deepEqual(await store.countRecords(acme), {});
      assert.deepEqual(await store.countRecords(set), { customer_sar: 1 });
      const moved = keyOf("customer_sar", "s", set);
      assert.equal((await store.changesOf(moved)).length, 2);
      assert.equal((await store.payloadsOf(moved))[0]?.["related_person_id"], "p");
      // The id is free, and the stored outcome of the first request is gone.
      const written = { written: 1, drafts: ["created"] };
      assert.deepEqual(await store.write(sar, options), written);
      assert.equal((await store.changesOf(moved)).length, 2);

      const figures = await store.deletionFigures(onDay(4));
      assert.deepEqual([figures.byStatus.pending, figures.underFloor, figures.held], [0, 0, 0]);
      assert.equal((await store.listDeletions({ limit: 10 })).length, 1);
      const second = await requireEnd(store, set, onDay(8));
      assert.deepEqual(second.erased, { customer_sar: 1 });
      assert.deepEqual(await store.countRecords(acme), { customer_sar: 1 });
    });

    it("waits for the last of the floors of the reports that keep it, whichever is found first", async (test) => {
      const { store } = await openAcme(engine, test);
      await setFloor(store, report, 10);
      for (const id of ["t1", "t2"]) await store.add("transaction", id, seen(2));
      const ids = { related_tx_ids: ["t1", "t2"] };
      for (const [id, date] of [
        ["a", 3],
        ["b", 9],
        ["c", 5],
      ] as const) {
        await addReport(store, id, { ...ids, ...seen(date) });
      }
      const { set } = await deleteNow(store, ["transaction", "t1"]);
      await store.processAll(worker.now);
      const waiting = await store.deletionOf(set);
      assert.equal(waiting.floorUntil, onDay(19));
      const found = await store.plans.findObstacleOfAll(waiting, onDay(14));
      assert.equal(found === "unknown" ? found : found?.floorUntil, onDay(19));
      await requireEnd(store, set, onDay(19));
    });

    it("takes what supports a report that stays, which keeps its references until the end", async (test) => {
      const { store } = await openAcme(engine, test);
      await setFloor(store, report, 10, "report_filed_at");
      for (const id of ["t1", "t2"]) await store.add("transaction", id, seen(2));
      await store.add("transaction_check", "c", { ...seen(2), related_tx_ids: ["t1"] });
      await store.add("transaction_alert", "a", { ...seen(2), related_tx_ids: ["t1"] });
      const ids = { related_tx_ids: ["t1", "t2"], related_alert_id: "a" };
      await addReport(store, "r", { ...ids, report_filed_at: new Date(onDay(3)).toISOString() });

      const { set, erased, kept } = await deleteNow(store, ["transaction", "t1"]);
      assert.deepEqual(erased, { transaction_check: 1 });
      assert.deepEqual(kept, { transaction: 1, transaction_alert: 1 });
      const staying = keyOf(report, "r");
      assert.deepEqual((await store.payloadsOf(staying))[0]?.["related_tx_ids"], ["t1", "t2"]);
      // A new record with the id has nothing to do with the report.
      await store.add("transaction", "t1", seen(4));
      assert.deepEqual((await deleteNow(store, ["transaction", "t1"])).kept, {});
      // Filed again, later.
      const filed = { ...seen(5), report_filed_at: new Date(onDay(6)).toISOString() };
      const again = draftOf(report, "r", { ...filed, related_tx_ids: ["t2"] });
      await store.write(again, { resourceType: report, mode: "update" });
      const second = await requireEnd(store, set, onDay(16));
      assert.deepEqual(second.erased, { transaction: 1, transaction_alert: 1 });
      assert.equal(second.redacted, 2);
      const [first] = await store.payloadsOf(staying);
      assert.deepEqual(
        [first?.["related_tx_ids"], first?.["related_alert_id"]],
        [["t2"], undefined],
      );
    });

    it("follows a report that a later deletion moves, and forgets one that is erased", async (test) => {
      const { store } = await openAcme(engine, test);
      await setFloor(store, report, 10);
      for (const id of ["t1", "t2"]) await store.add("transaction", id, seen(2));
      await addReport(store, "r", { related_tx_ids: ["t1", "t2"] });
      const one = await deleteNow(store, ["transaction", "t1"]);
      const two = await deleteNow(store, ["transaction", "t2"]);
      assert.deepEqual([one.kept, two.kept], [{ transaction: 1 }, { transaction: 1, [report]: 1 }]);
      // Another report with the same id keeps nothing.
      await addReport(store, "r", { ...seen(9) });
      await requireEnd(store, one.set, onDay(12));
      assert.deepEqual(await store.countRecords(two.set), {});

      for (const id of ["t3", "t4"]) await store.add("transaction", id, seen(2));
      await addReport(store, "s", { related_tx_ids: ["t3", "t4"] });
      await setFloor(store, report, 30);
      const three = await deleteNow(store, ["transaction", "t3"], onDay(12));
      await setFloor(store, report, 20);
      await setFloor(store, report, undefined);
      assert.deepEqual((await deleteNow(store, ["transaction", "t4"], onDay(12))).kept, {});
      await store.processAll(onDay(12));
      assert.deepEqual(await store.countRecords(three.set), {});
    });

    it("waits for a deletion that is about to move a report of it, and then for its floor", async (test) => {
      const { store } = await openAcme(engine, test);
      await setFloor(store, report, 10, "report_filed_at");
      for (const id of ["t1", "t2"]) await store.add("transaction", id, seen(2));
      await addReport(store, "r", { related_tx_ids: ["t1", "t2"] });
      const { set, requestedAt } = await deleteNow(store, ["transaction", "t1"]);
      const later = { now: onDay(3) };
      const moving = await store.request(keyOf("transaction", "t2"), later);
      const end = requestedAt + 10 * day;
      assert.equal((await store.claim(end - 1))?.deletionRequestId, moving);
      assert.equal(await store.claim(end), undefined);
      assert.deepEqual((await store.finish(moving)).kept, { transaction: 1, [report]: 1 });
      await requireEnd(store, set, onDay(13));
    });

    it("obeys holds on what was moved, and holds that moved with it", async (test) => {
      const { store } = await openAcme(engine, test);
      await store.add("transaction", "t", seen(2));
      await addReport(store, "r", { related_tx_ids: ["t"] });
      await store.hold(keyOf(report, "r"));
      const { set, kept } = await deleteNow(store, ["transaction", "t"]);
      assert.deepEqual(kept, { transaction: 1, [report]: 1 });
      await addReport(store, "r", { ...seen(9) });
      assert.deepEqual(await store.holds.ofRecords([keyOf(report, "r")]), []);
      const moved = keyOf("transaction", "t", set);
      assert.equal(typeof (await store.hold(moved)), "object");
      assert.equal(await store.hold(keyOf("transaction", "t")), "no_such_record");
      assert.equal(await store.release(keyOf(report, "r", set)), 1);
      assert.deepEqual(await store.processAll(onDay(20)), []);
      assert.equal((await store.deletionOf(set)).waitingFor, "a hold on transaction t");
      assert.equal(await store.release(moved), 1);
      assert.equal((await store.processAll(onDay(20))).length, 1);
      assert.deepEqual(await store.countRecords(set), {});
    });

    it("takes a report that arrives while its deletion is processed", async (test) => {
      const { store } = await openAcme(engine, test);
      await setFloor(store, "customer_sar", 5);
      await store.add("person", "p", seen(2));
      const id = await store.request(keyOf("person", "p"));
      assert.equal((await store.claim())?.deletionRequestId, id);
      await store.add("customer_sar", "late", { ...seen(2), related_person_id: "p" });
      const { erased, kept } = await store.finish(id);
      assert.deepEqual([erased, kept], [{ person: 1 }, { customer_sar: 1 }]);
      assert.equal(await store.exists(keyOf("customer_sar", "late")), false);
      await requireEnd(store, restrictedId(id), onDay(7));
    });

    it("says for whom a pseudonym stands, while a report is kept that its transaction supports", async (test) => {
      const { store } = await openAcme(engine, test);
      await setFloor(store, report, 10);
      for (const id of ["p", "q", "r"]) await store.add("person", id, seen(2));
      for (const [id, sender] of [
        ["t1", "p"],
        ["t2", "p"],
        ["t3", "q"],
        ["t4", "r"],
      ] as const) {
        const sent = { ...seen(2), sender_id: sender, sender_country: "DE" };
        await store.add("transaction", id, sent);
      }
      await store.add("transaction_alert", "a", { ...seen(2), related_tx_ids: ["t3"] });
      await addReport(store, "direct", { related_tx_ids: ["t1", "t2"] });
      await addReport(store, "by alert", { related_alert_id: "a" });
      const sets: string[] = [];
      for (const [party, reportId] of [
        ["p", "direct"],
        ["q", "by alert"],
      ] as const) {
        const { set, redactedByType, kept } = await deleteNow(store, ["person", party]);
        assert.deepEqual(kept, {});
        assert.equal(redactedByType["transaction"], party === "p" ? 2 : 1);
        const [payload] = await store.payloadsOf(keyOf("transaction", party === "p" ? "t1" : "t3"));
        const references = { set, after: undefined, limit: 10 };
        const [found, ...more] = await store.restricted.listReferences(references);
        assert.deepEqual([found?.fromId, found?.fromSet, more], [reportId, undefined, []]);
        assert.deepEqual([found?.toType, found?.toId], ["person", payload?.["sender_id"]]);
        sets.push(set);
      }
      // No report names what this one has sent.
      const { set: none } = await deleteNow(store, ["person", "r"]);
      assert.equal(await store.findDeletion(none, undefined), undefined);
      // The report moves, and what the pseudonym stands for is kept as long as it.
      const moved = await deleteNow(store, ["transaction", "t3"]);
      assert.deepEqual(moved.kept, { transaction: 1, transaction_alert: 1, [report]: 1 });
      const [, second = ""] = sets;
      const [followed] = await store.restricted.listReferences({
        set: second,
        after: undefined,
        limit: 10,
      });
      assert.equal(followed?.fromSet, moved.set);
      await requireEnd(store, sets[0] ?? "", onDay(12));
      await store.processAll(onDay(12));
      assert.equal((await store.deletionOf(second)).status, "completed");
      assert.deepEqual((await store.payloadsOf(keyOf(report, "direct")))[0]?.["related_tx_ids"], [
        "t1",
        "t2",
      ]);
    });

    it("is left out of all figures, as are deletions of confidential records", async (test) => {
      const { store } = await openAcme(engine, test);
      await store.changeOrganization(acme, { confidentialTypes: ["screening"] }, operator);
      await setFloor(store, report, 1_000);
      await setFloor(store, "screening", 1_000);
      await addReport(store, "r", {});
      for (const id of ["begun", "floored"]) await store.add("screening", id, seen(2));
      await store.add("customer_sar", "held", { ...seen(2), related_person_id: "p" });
      await store.hold(keyOf("customer_sar", "held"));
      await store.request(keyOf(report, "r"));
      await store.request(keyOf("screening", "floored"));
      await store.request(keyOf("customer_sar", "held"));
      assert.equal(await store.claim(), undefined);
      await setFloor(store, "screening", undefined);
      await store.request(keyOf("screening", "begun"));
      assert.ok(await store.claim());
      assert.deepEqual(await store.deletionFigures(worker.now), noFigures);
      await store.add("risk_assessment", "a", seen(2));
      await store.request(keyOf("risk_assessment", "a"));
      const { byStatus } = await store.deletionFigures(worker.now);
      assert.deepEqual(byStatus, { ...noFigures.byStatus, pending: 1 });
    });

    it("keeps what a pseudonym stands for, for a record that the organization has made confidential", async (test) => {
      const { store } = await openAcme(engine, test);
      await store.changeOrganization(acme, { confidentialTypes: ["screening"] }, operator);
      await store.add("person", "p", seen(2));
      const sent = { ...seen(2), sender_id: "p", sender_country: "DE" };
      await store.add("transaction", "t", sent);
      await store.add("screening", "s", { ...seen(2), related_tx_id: "t" });
      await store.hold(keyOf("screening", "s"));
      const { set } = await deleteNow(store, ["person", "p"]);
      const found = await store.restricted.listReferences({ set, after: undefined, limit: 10 });
      assert.deepEqual(
        found.map(({ fromType, fromId }) => [fromType, fromId]),
        [["screening", "s"]],
      );
    });

    it("is filled again by the replay of the deletion, and not erased early", async (test) => {
      const { store } = await openAcme(engine, test);
      await setFloor(store, "customer_sar", 5);
      await store.add("person", "p", seen(2));
      await store.add("customer_sar", "s", { ...seen(2), related_person_id: "p" });
      const by = { requestedBy: "key_1", requestedAt: 1_000, ...completed(1) };
      const root = keyOf("person", "p");
      const entry = { kind: "deletion", deletionRequestId: "del_before", ...root, ...by } as const;
      await store.replay.queueReplay([entry]);
      await store.replay.reopenDeletions({ after: undefined, limit: 10 }, operator);
      assert.equal((await store.processAll()).length, 1);
      assert.deepEqual(await store.countRecords(acme), {});
      const set = restrictedId("del_before");
      assert.deepEqual(await store.countRecords(set), { customer_sar: 1 });
      await requireEnd(store, set, onDay(7));
    });

    it("loses what was erased before, by the replay of both deletions in any order", async (test) => {
      const { store } = await openAcme(engine, test);
      await setFloor(store, "customer_sar", 50);
      await store.add("person", "p", seen(2));
      await store.add("customer_sar", "s", { ...seen(2), related_person_id: "p" });
      const at = { requestedBy: "key_1", requestedAt: 1_000, kind: "deletion" } as const;
      const set = restrictedId("del_both");
      await store.replay.queueReplay([
        { ...at, ...keyOf("person", "p"), deletionRequestId: "del_both", ...completed(1) },
        { ...at, ...keyOf("organization", set, set), deletionRequestId: set, ...completed(2) },
      ]);
      await store.replay.reopenDeletions({ after: undefined, limit: 10 }, operator);
      for (let round = 0; round < 3; round += 1) await store.processAll(worker.now + round * day);
      assert.deepEqual(await store.replay.countReplayed(), { queued: 0, open: 0, held: 0 });
      assert.deepEqual([await store.countRecords(acme), await store.countRecords(set)], [{}, {}]);
      assert.equal(await store.findOrganization(set), undefined);
      assert.equal((await store.deletionOf(set)).restrictedOf, acme);
    });

    it("takes the reports of a large cascade", async (test) => {
      const { store } = await openAcme(engine, test);
      await setFloor(store, "customer_sar", 5);
      await store.add("person", "p", seen(2));
      const drafts = Array.from({ length: 210 }, (_, index) =>
        draftOf("customer_sar", `s${index}`, { ...seen(2), related_person_id: "p" }),
      );
      await store.write(drafts, { resourceType: "customer_sar" });
      const id = await store.request(keyOf("person", "p"));
      assert.equal((await store.claim())?.deletionRequestId, id);
      assert.deepEqual((await store.finish(id, 200)).kept, { customer_sar: 210 });
      await requireEnd(store, restrictedId(id), onDay(7));
      assert.ok(limits.flooredDeletionRetryMs >= 6 * day);
    });
  });
}
