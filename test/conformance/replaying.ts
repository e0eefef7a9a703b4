// A restored store before its replay is complete: what is written down survives, nothing else opens
// the store, each deletion keeps its id, and the chains record where they were cut.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DeletionEntry } from "../../src/domain/deletion/ledger-entry.ts";
import { makeTestSeal } from "../support/seal.ts";
import { type Engine, openSite } from "./engine.ts";
import { acme, keyOf, operator, organization, worker } from "./scene.ts";
import type { TestStore } from "../support/test-store.ts";

const hashOf = (no: number) => String(no).padStart(64, "a");
export const sealed = { sealReceipt: makeTestSeal() };
export const page = { after: undefined, limit: 100 };

export function entry(number: number, id: string, completed = true): DeletionEntry {
  return {
    kind: "deletion",
    deletionRequestId: `del_before_${number}`,
    ...keyOf("transaction", id),
    resourceType: "transaction",
    requestedBy: "key_1",
    requestedAt: 1_000,
    ...(completed
      ? { completed: { at: 2_000 + number, receiptNo: number, receiptHash: hashOf(number) } }
      : {}),
  };
}

const known = {
  audit: { no: 90, hash: hashOf(90) },
  receipts: { no: 40, hash: hashOf(40) },
  shared: { no: 0, hash: hashOf(0) },
};
export const beginning = { known, sources: ["ledger.ndjson"], backup: "backup.db" };

export async function prepare(store: TestStore): Promise<void> {
  await store.createOrganization(organization(acme), operator);
  for (const id of ["a", "b", "twice"]) await store.add("transaction", id);
}

export function testReplaying(engine: Engine): void {
  describe(`${engine.name}: a store`, () => {
    it("does not continue a ledger that has an entry, a receipt or a deletion that it lacks", async (test) => {
      const { store } = await openSite(engine, test, sealed);
      await prepare(store);
      await store.erase("transaction", "a");
      const open = await store.request(keyOf("transaction", "b"));
      const auditAnchor = await store.trail.head();
      const { receiptNo: no, hash } = await store.receiptHead();
      const inProgress = [open, open].map((id) => ({ ...entry(1, "b"), deletionRequestId: id }));
      const mustHave = { auditAnchor, lastReceipt: { no, hash }, inProgress };
      const nothing = { auditAnchor: undefined, lastReceipt: undefined, inProgress: [] };
      for (const continued of [mustHave, nothing]) {
        assert.equal(await store.replay.continues(continued), true);
      }
      for (const lacking of [
        { auditAnchor: { no: auditAnchor.no + 1, hash: auditAnchor.hash } },
        { auditAnchor: { ...auditAnchor, hash: hashOf(1) } },
        { lastReceipt: { no: no + 1, hash } },
        { lastReceipt: { no, hash: hashOf(1) } },
        { inProgress: [...inProgress, entry(2, "b")] },
      ]) {
        assert.equal(await store.replay.continues({ ...mustHave, ...lacking }), false);
      }
    });
  });

  describe(`${engine.name}: a store that was restored`, () => {
    it("is opened only for the replay until that is finished", async (test) => {
      const site = await openSite(engine, test);
      const { store } = site;
      await prepare(store);
      assert.equal(await store.replay.restoreState(), undefined);
      await store.replay.beginReplay(beginning, operator);
      const command = { role: "command" } as const;
      await assert.rejects(
        site.openAnother(command),
        /Run: npx sluice deletion replay --ledger ledger\.ndjson$/,
      );
      await store.replay.startReplay();
      await assert.rejects(site.openAnother(command), /Run: npx sluice deletion replay$/);
      const another = await site.openAnother({ ...command, restoring: true });
      assert.equal((await another.replay.restoreState())?.state, "replaying");
      await another.replay.finishReplay(operator);
      await (await site.openAnother(command)).close();
    });

    it("closes an organization again as of its request, and ends the proposals that were open in the backup", async (test) => {
      const { store } = await openSite(engine, test, sealed);
      await store.createOrganization(organization(acme, { deletionApproval: true }), operator);
      const proposed = { actor: "anna", now: operator.now, proposalId: "prp_1" };
      await store.changeOrganization(acme, { deletionApproval: false }, proposed);
      const closing = { ...entry(1, acme), resourceType: "organization", resourceId: acme };
      const unknown = { ...entry(2, "other"), organizationId: "other", resourceId: "other" };
      await store.replay.beginReplay(beginning, operator);
      await store.replay.queueReplay([closing, { ...unknown, resourceType: "organization" }]);
      await store.replay.startReplay();
      await store.replay.takeOver(7);
      await store.replay.reopenDeletions(page, operator);
      for (const id of [acme, "other"]) {
        assert.equal((await store.findOrganization(id))?.closedAt, closing.requestedAt);
      }
      const open = await store.proposals.list({
        organizationId: undefined,
        openAt: operator.now,
        before: undefined,
        limit: 10,
      });
      assert.deepEqual(open, []);
      assert.equal((await store.proposals.find("prp_1"))?.status, "open");
      await store.proposals.expire(operator);
      assert.equal((await store.proposals.find("prp_1"))?.status, "expired");
    });

    it("writes down the deletions that it lacks, and replays each under its id", async (test) => {
      const { store } = await openSite(engine, test, sealed);
      await prepare(store);
      const done = await store.request(keyOf("transaction", "b"));
      await store.processAll();
      const entries = [
        entry(1, "a", false),
        entry(1, "a"),
        entry(2, "twice"),
        entry(3, "twice"),
        entry(4, "late", false),
        { ...entry(5, "b"), deletionRequestId: done },
      ];
      assert.equal(await store.replay.countUnreplayed(entries), 4);
      await store.replay.beginReplay(beginning, operator);
      await store.replay.queueReplay(entries);
      // Repeated after a crash, it has the same result.
      await store.replay.queueReplay(entries.slice(0, 2));
      await store.replay.startReplay();
      assert.deepEqual(await store.replay.countReplayed(), { queued: 4, open: 0, held: 0 });
      await assert.rejects(store.replay.finishReplay(operator), /still to be replayed/);

      const first = await store.replay.reopenDeletions(page, operator);
      assert.deepEqual(first, { opened: 3, next: undefined });
      assert.deepEqual(await store.replay.countReplayed(), { queued: 1, open: 3, held: 0 });
      await store.processAll();
      // The second deletion of the same record follows the first one.
      assert.equal((await store.replay.reopenDeletions(page, operator)).opened, 1);
      await store.processAll();
      assert.deepEqual(await store.replay.countReplayed(), { queued: 0, open: 0, held: 0 });
      await store.replay.finishReplay(operator);

      for (const id of ["a", "twice"])
        assert.equal(await store.exists(keyOf("transaction", id)), false);
      for (const number of [1, 2, 3, 4]) {
        const { status, processedBefore } = await store.deletionOf(`del_before_${number}`);
        assert.equal(status, "completed");
        assert.equal(processedBefore?.receipt_no, number === 4 ? null : number);
      }
      const kept = await store.listReceipts(1, 10);
      assert.deepEqual(
        kept.map(({ receipt }) => receipt.receipt_no),
        [41, 42, 43, 44],
      );
      assert.equal(kept[0]?.receipt.previous_receipt, known.receipts.hash);
    });

    it("creates them page by page, in the order in which they were completed", async (test) => {
      const { store } = await openSite(engine, test);
      await prepare(store);
      const numbers = [9, 3, 7, 5, 1];
      await store.replay.beginReplay(beginning, operator);
      await store.replay.queueReplay(numbers.map((number) => entry(number, `x${number}`)));
      await store.replay.startReplay();
      const pages = [];
      for (let after: typeof page.after | { receiptNo: number; deletionRequestId: string }; ;) {
        const part = await store.replay.reopenDeletions({ after, limit: 2 }, operator);
        pages.push(part.next?.receiptNo);
        if (part.next === undefined) break;
        after = part.next;
      }
      assert.deepEqual(pages, [3, 7, undefined]);
      const ids = (await store.processAll()).map(({ deletionRequestId }) => deletionRequestId);
      assert.deepEqual(
        ids,
        [1, 3, 5, 7, 9].map((number) => `del_before_${number}`),
      );
    });

    it("has the receipt with the highest number of each deletion, in whatever order they come", async (test) => {
      const { store } = await openSite(engine, test);
      await prepare(store);
      await store.replay.beginReplay(beginning, operator);
      const { deletionRequestId } = entry(7, "a");
      for (const number of [7, 3, 9, 8]) {
        await store.replay.queueReplay([{ ...entry(number, "a"), deletionRequestId }]);
      }
      await store.replay.startReplay();
      await store.replay.reopenDeletions(page, operator);
      const { processedBefore } = await store.deletionOf(deletionRequestId);
      assert.deepEqual([processedBefore?.receipt_no, processedBefore?.receipt], [9, hashOf(9)]);
    });

    it("makes the open deletion of a record due at once, unless it was due before", async (test) => {
      const { store } = await openSite(engine, test);
      await prepare(store);
      const early = await store.request(keyOf("transaction", "a"), { dueAt: 10 });
      const late = await store.request(keyOf("transaction", "b"), { dueAt: 9_000_000 });
      await store.replay.beginReplay(beginning, operator);
      await store.replay.queueReplay([entry(1, "a"), entry(2, "b")]);
      await store.replay.startReplay();
      assert.equal((await store.replay.reopenDeletions(page, operator)).opened, 0);
      assert.equal((await store.deletionOf(early)).dueAt, 10);
      assert.equal((await store.deletionOf(late)).dueAt, operator.now);
    });

    it("records in the audit trail where it was cut, and assigns no number twice", async (test) => {
      const { store } = await openSite(engine, test);
      await prepare(store);
      const before = await store.trail.head();
      const state = await store.replay.beginReplay(beginning, operator);
      assert.equal(state.cut?.entry.no, 91);
      assert.deepEqual(state.cut.audit, { restored: before, known: known.audit });
      // Started again, it does not cut a second time.
      const again = await store.replay.beginReplay({ ...beginning, sources: ["other"] }, worker);
      assert.deepEqual(again.cut, state.cut);
      assert.deepEqual(again.sources, ["ledger.ndjson", "other"]);
      await store.replay.startReplay();
      await store.replay.finishReplay(operator);
      const trail = await store.listAudit(before.no, 10);
      assert.deepEqual(
        trail.map(({ entryNo, action }) => [entryNo, action]),
        [
          [91, "store.restore"],
          [92, "store.replay"],
        ],
      );
      assert.equal(trail[0]?.previousHash, before.hash);
      assert.equal((await store.receiptHead()).receiptNo, 40);
    });

    it("has the holds that the ledger has, whether or not their records exist", async (test) => {
      const { store } = await openSite(engine, test);
      await prepare(store);
      await store.hold(keyOf("transaction", "a"));
      const [released] = await store.holds.list({ limit: 1 });
      const placed = {
        ...keyOf("person", "lost"),
        holdId: "hold_later",
        reason: "since the backup",
        owner: undefined,
        reviewOn: "2027-01-31",
        endsOn: undefined,
        placedAt: 5_000,
        placedBy: "zoe",
      };
      await store.replay.beginReplay(beginning, operator);
      const holds = { place: [placed], release: [released?.holdId ?? ""] };
      for (let time = 0; time < 2; time += 1) await store.replay.replaceHolds(holds, operator);
      assert.deepEqual(await store.holds.list({ limit: 10 }), [placed]);
      const entries = await store.listAudit(91, 10);
      assert.deepEqual(
        entries.map(({ action, detail }) => [action, detail["because"]]),
        [
          ["hold.release", "restore"],
          ["hold.place", "restore"],
        ],
      );
    });

    it("can be claimed at once after a replay was killed", async (test) => {
      const { store } = await openSite(engine, test);
      await prepare(store);
      await store.request(keyOf("transaction", "a"));
      const claim = { now: worker.now, leaseUntil: worker.now + 60_000 };
      assert.ok(await store.claimOne({ ...claim, claimant: "killed" }));
      assert.equal(await store.claimOne({ ...claim, claimant: "next" }), undefined);
      await store.replay.takeOver(2 ** 40);
      assert.ok(await store.claimOne({ ...claim, claimant: "next" }));
    });

    it("begins a timeline of arrival numbers with each replay, after the last number", async (test) => {
      const { store } = await openSite(engine, test);
      assert.deepEqual(await store.arrivals.timelines(), []);
      await prepare(store);
      const { latest: afterNo } = await store.settledArrival();
      for (const timelineId of [2 ** 40, 2 ** 48 - 1]) await store.replay.takeOver(timelineId);
      const first = { timelineId: 2 ** 48 - 1, afterNo };
      assert.deepEqual(await store.arrivals.timelines(), [first]);
      await store.add("transaction", "later");
      await store.replay.takeOver(2 ** 40);
      const { latest } = await store.settledArrival();
      const second = { timelineId: 2 ** 40, afterNo: latest };
      assert.deepEqual(await store.arrivals.timelines(), [first, second]);
    });

    it("cancels what a ledger says was cancelled, if it is pending and not to be replayed", async (test) => {
      const { store } = await openSite(engine, test, sealed);
      await prepare(store);
      const ids = [];
      for (const id of ["a", "b", "twice"]) ids.push(await store.request(keyOf("transaction", id)));
      const [cancelled = "", replayed = "", other = ""] = ids;
      await store.replay.beginReplay(beginning, operator);
      await store.replay.queueReplay([{ ...entry(1, "b"), deletionRequestId: replayed }]);
      const named = [cancelled, replayed, "del_unknown"];
      assert.deepEqual(await store.replay.findUncancelled(named), [cancelled]);
      await store.replay.cancelAgain(named, operator);
      await store.replay.cancelAgain(named, operator);
      const statuses = ids.map(async (id) => (await store.deletionOf(id)).status);
      assert.deepEqual(await Promise.all(statuses), ["cancelled", "pending", "pending"]);
      assert.deepEqual(await store.replay.findUncancelled([other]), [other]);
    });

    it("sets the settings of organizations back to what a ledger says", async (test) => {
      const { store } = await openSite(engine, test, sealed);
      await prepare(store);
      await store.changeOrganization(acme, { retainDays: 30, strictScopes: true }, operator);
      await store.replay.beginReplay(beginning, operator);
      const settings = {
        retainDays: null,
        confidentialTypes: ["screening"],
        deletionApproval: true,
      };
      const changes = [acme, "org_unknown"].map((organizationId) => ({ organizationId, settings }));
      await store.replay.replaceSettings(changes, operator);
      const { retainDays, ...changed } = (await store.findOrganization(acme)) ?? organization(acme);
      assert.deepEqual(
        [retainDays, changed.strictScopes, changed.confidentialTypes, changed.deletionApproval],
        [undefined, true, ["screening"], true],
      );
    });

    it("stores how far each ledger reached, and never forgets it", async (test) => {
      const { store } = await openSite(engine, test);
      const mark = { ledgerId: "ledger_1", end: 100, digest: hashOf(1), notedAt: 5 };
      await store.replay.markLedger(mark);
      await store.replay.markLedger({ ...mark, end: 90, digest: hashOf(2) });
      assert.deepEqual(await store.replay.listLedgerMarks(), [mark]);
      const later = { ...mark, end: 200, digest: hashOf(3), notedAt: 6 };
      await store.replay.markLedger(later);
      await store.replay.markLedger({ ...mark, ledgerId: "ledger_2" });
      assert.deepEqual(
        (await store.replay.listLedgerMarks()).map(({ ledgerId, end }) => [ledgerId, end]),
        [
          ["ledger_1", 200],
          ["ledger_2", 100],
        ],
      );
    });
  });
}
