// The approval of deletions by a second person, in organizations that require it.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { beforeFirst } from "../../src/domain/deletion/ledger-entry.ts";
import type { Deletion } from "../../src/domain/deletion/deletion.ts";
import type { Act } from "../../src/store/interface/act.ts";
import { makeTestSeal } from "../support/seal.ts";
import { type Engine, openSite, useSite } from "./engine.ts";
import {
  acme,
  keyOf,
  newKey,
  officer,
  operator,
  organization,
  other,
  transaction,
  worker,
} from "./scene.ts";
import type { TestStore } from "../support/test-store.ts";

const late = worker.now + 1_000_000_000;

function by(actor: string): Act {
  return { actor, now: operator.now + 5 };
}

async function addOperators(store: TestStore): Promise<void> {
  for (const name of ["anna", "ben", "carla", "dora"]) {
    await store.operators.create(officer(name), operator);
  }
  await store.operators.disable("op_dora", operator);
}

export function testApproval(engine: Engine): void {
  describe(`${engine.name}: an approval`, () => {
    const site = useSite(engine, { sealReceipt: makeTestSeal() });
    let store: TestStore;
    let count = 0;

    /** Requested by anna unless it is said by whom. */
    async function ask(fields: Parameters<TestStore["request"]>[1] = {}): Promise<string> {
      count += 1;
      await store.add("transaction", `t${count}`);
      const key = keyOf("transaction", `t${count}`);
      return store.request(key, { actor: "anna", ...fields });
    }

    async function listed(organizationId?: string): Promise<readonly string[]> {
      const filter = { organizationId, awaitsApproval: true, limit: 10 };
      return (await store.listDeletions(filter)).map((one) => one.deletionRequestId);
    }

    before(async () => {
      store = site().store;
      await addOperators(store);
      await store.createOrganization(organization(other), operator);
      await store.createOrganization(organization(acme, { deletionApproval: true }), operator);
      assert.equal((await store.findOrganization(acme))?.deletionApproval, true);
      assert.equal((await store.findOrganization(other))?.deletionApproval, undefined);
    });

    it("is awaited by every deletion that a person or a program requests, whatever its due date", async () => {
      const id = await ask({ requestedBy: "operator" });
      const ofKey = await ask({ actor: "key_1", now: operator.now + 1 });
      await store.write(transaction("x"), { organizationId: other });
      const free = await store.request(keyOf("transaction", "x", other), {
        actor: "anna",
        requestedBy: "operator",
      });
      assert.deepEqual(
        (await store.processAll(late)).map((one) => one.deletionRequestId),
        [free],
      );
      const { approval, requestedBy, status, waitingFor, nextAttemptAt } =
        await store.deletionOf(id);
      const none = { approvedBy: undefined, approvedAt: undefined };
      assert.deepEqual(approval, { requester: "anna", ...none });
      assert.deepEqual(
        { requestedBy, status, waitingFor, nextAttemptAt },
        {
          requestedBy: "operator",
          status: "pending",
          waitingFor: "the approval of a second person",
          nextAttemptAt: undefined,
        },
      );
      assert.deepEqual((await store.deletionOf(ofKey)).approval, { requester: "key_1", ...none });
      // Also where nobody has to approve it.
      assert.equal((await store.deletionOf(free)).requester, "anna");
      assert.equal((await store.deletionOf(ofKey)).requester, undefined);
      assert.deepEqual(await listed(), [ofKey, id]);
      assert.deepEqual(await listed(acme), [ofKey, id]);
      assert.deepEqual(await listed(other), []);
      for (const [organizationId, approver, waiting] of [
        [undefined, "ben", 2],
        [undefined, "anna", 1],
        [acme, "key_1", 1],
        [other, "ben", 0],
      ] as const) {
        const query = { organizationId, approver, openAt: late };
        assert.equal((await store.proposals.countWaiting(query)).deletions, waiting);
      }
      const query = { hiddenTypes: [], ofClosed: true, countedMax: 10, now: late };
      const ofOther = await store.overview.deletionQueue({ ...query, organizationId: other });
      assert.equal(ofOther.open, 0);
      const queue = await store.overview.deletionQueue({ ...query, organizationId: acme });
      assert.deepEqual(await store.overview.deletionQueue(query), queue);
      const { open, overdue } = queue;
      assert.deepEqual({ open, overdue }, { open: 2, overdue: 0 });
      const { oldestDueAt, held } = await store.deletionFigures(late);
      assert.deepEqual({ oldestDueAt, held }, { oldestDueAt: undefined, held: 0 });
      assert.equal(await store.proposals.approveDeletion(free ?? "", by("ben")), "not_pending");
    });

    it("is given once, by an active operator who has not requested the deletion", async () => {
      const id = await ask();
      const approve = async (actor: string) => {
        const outcome = await store.proposals.approveDeletion(id, by(actor));
        return typeof outcome === "string" ? outcome : outcome.approval;
      };
      for (const [actor, outcome] of [
        ["anna", "own_request"],
        ["dora", "no_such_person"],
        ["key_1", "no_such_person"],
        ["worker", "no_such_person"],
      ] as const) {
        assert.equal(await approve(actor), outcome, actor);
      }
      assert.equal(await store.claim(late), undefined);
      const approval = { requester: "anna", approvedBy: "ben", approvedAt: by("ben").now };
      assert.deepEqual(await approve("ben"), approval);
      assert.equal(await approve("carla"), "approved_before");
      assert.equal(
        await store.proposals.approveDeletion("del_none", by("ben")),
        "no_such_deletion",
      );
      const [done, ...more] = await store.processAll(late);
      assert.equal(done?.deletionRequestId, id);
      assert.deepEqual(more, []);
      assert.deepEqual((await store.deletionOf(id)).approval, approval);
      assert.equal(await approve("carla"), "not_pending");
      const entries = await store.listAudit(0, 1_000);
      const entry = entries.findLast(({ action }) => action === "deletion.approve");
      assert.deepEqual(
        [entry?.actor, entry?.subject, entry?.organizationId, entry?.detail],
        ["ben", id, acme, { requester: "anna" }],
      );
    });

    it("is not given by the person who created the key that requested the deletion", async () => {
      const id = await ask({ actor: "key_ben" });
      const waiting = async (approver: string) =>
        (await store.proposals.countWaiting({ approver, openAt: late })).deletions;
      const [ofBen, ofCarla] = [await waiting("ben"), await waiting("carla")];
      await store.createKey(newKey("key_ben"), by("ben"));
      assert.deepEqual([await waiting("ben"), await waiting("carla")], [ofBen - 1, ofCarla]);
      assert.equal(await store.proposals.isOwnRequest("key_ben", "ben"), true);
      assert.equal(await store.proposals.isOwnRequest("key_ben", "carla"), false);
      assert.equal(await store.proposals.approveDeletion(id, by("ben")), "own_request");
      assert.equal(typeof (await store.proposals.approveDeletion(id, by("carla"))), "object");
      await store.processAll(late);
    });

    it("is not given by the person who created the rule for the program that requested it", async () => {
      const id = await ask({ actor: "idn_ben https://issuer.example.com intake" });
      await store.createKey(newKey("idn_ben"), by("ben"));
      await store.createKey(newKey("idn_be"), by("carla"));
      const requester = "idn_ben https://issuer.example.com intake";
      assert.equal(await store.proposals.isOwnRequest(requester, "ben"), true);
      assert.equal(await store.proposals.isOwnRequest(requester, "carla"), false);
      assert.equal(await store.proposals.approveDeletion(id, by("ben")), "own_request");
      assert.equal(typeof (await store.proposals.approveDeletion(id, by("carla"))), "object");
      await store.processAll(late);
    });

    it("is one, even if two people give it at the same time in two processes", async () => {
      const id = await ask();
      const another = await site().openAnother({ role: "command" });
      const outcomes = await Promise.all([
        store.proposals.approveDeletion(id, by("ben")),
        another.proposals.approveDeletion(id, by("carla")),
        store.proposals.approveDeletion(id, by("carla")),
        another.proposals.approveDeletion(id, by("anna")),
      ]);
      const given = outcomes.filter((one): one is Deletion => typeof one !== "string");
      assert.equal(given.length, 1);
      assert.deepEqual((await store.deletionOf(id)).approval, given[0]?.approval);
      const entries = (await store.listAudit(0, 1_000)).filter(
        ({ action, subject }) => action === "deletion.approve" && subject === id,
      );
      assert.equal(entries.length, 1);
      await another.close();
      await store.processAll(late);
    });

    it("is not possible once the deletion is cancelled", async () => {
      const id = await ask();
      await store.cancelDeletion(id, by("anna"));
      assert.equal(await store.proposals.approveDeletion(id, by("ben")), "not_pending");
      assert.ok(!(await listed()).includes(id));
      assert.equal(await store.claim(late), undefined);
    });

    it("ends neither the grace period nor a hold", async () => {
      const id = await ask({ dueAt: late });
      const key = keyOf("transaction", `t${count}`);
      await store.hold(key);
      await store.proposals.approveDeletion(id, by("ben"));
      assert.equal(await store.claim(late - 1), undefined);
      assert.equal(await store.claim(late), undefined);
      assert.equal((await store.deletionOf(id)).waitingFor, `a hold on transaction t${count}`);
      await store.release(key);
      assert.equal((await store.processAll(late)).length, 1);
    });

    it("is still awaited if the deletion is made due, and when the setting is turned off", async () => {
      const id = await ask();
      const key = keyOf("transaction", `t${count}`);
      await store.hold(key);
      await store.release(key);
      await store.postponeDeletion(id, "it failed", worker.now);
      assert.deepEqual(await store.processAll(late), []);
      assert.equal((await store.deletionOf(id)).waitingFor, "the approval of a second person");
      await store.changeOrganization(acme, { deletionApproval: false }, operator);
      const free = await ask();
      assert.equal((await store.deletionOf(free)).approval, undefined);
      assert.equal(await store.proposals.approveDeletion(free, by("ben")), "not_needed");
      await store.changeOrganization(acme, { deletionApproval: true }, operator);
      assert.deepEqual(
        (await store.processAll(late)).map((one) => one.deletionRequestId),
        [free],
      );
      assert.equal((await store.deletionOf(id)).status, "pending");
    });

    it("is not awaited by what a rule of the organization deletes", async () => {
      const id = await ask({ isAutomatic: true, actor: "retention" });
      assert.equal((await store.deletionOf(id)).approval, undefined);
      assert.equal((await store.processAll(late)).length, 1);
    });

    it("of the deletion of an organization covers those of its records", async () => {
      const single = await ask();
      await store.closeOrganization(acme, operator);
      const wanted = { organizationId: acme, deletionRequestId: "del_all", reason: "r" };
      const act = { actor: "anna", now: operator.now };
      await store.requestOrganizationDeletion({ ...wanted, requestedBy: "operator" }, act);
      assert.deepEqual(await store.processAll(late), []);
      assert.equal(await store.proposals.approveDeletion("del_all", by("anna")), "own_request");
      assert.equal(
        typeof (await store.proposals.approveDeletion("del_all", by("carla"))),
        "object",
      );
      await store.processAll(late);
      for (const id of ["del_all", single]) {
        assert.equal((await store.deletionOf(id)).status, "completed", id);
      }
      assert.deepEqual(await listed(), []);
    });
  });

  describe(`${engine.name}: an approval after a restore`, () => {
    it("is not needed again by what was completed, and is never assumed", async (test) => {
      const { store } = await openSite(engine, test, { sealReceipt: makeTestSeal() });
      await store.createOrganization(organization(acme, { deletionApproval: true }), operator);
      const ids: string[] = [];
      for (const id of ["approved", "cancelled", "open"]) {
        await store.add("transaction", id);
        ids.push(await store.request(keyOf("transaction", id)));
      }
      const [approved = "", cancelled = "", open = ""] = ids;
      const hash = "a".repeat(64);
      const known = { audit: { no: 90, hash }, receipts: { no: 40, hash }, shared: beforeFirst };
      const entryOf = (deletionRequestId: string, id: string, receiptNo: number) => ({
        kind: "deletion" as const,
        deletionRequestId,
        ...keyOf("transaction", id),
        resourceType: "transaction" as const,
        requestedBy: "key_1",
        requestedAt: operator.now,
        completed: { at: operator.now, receiptNo, receiptHash: hash },
      });
      const page = { after: undefined, limit: 10 };
      await store.replay.beginReplay({ known, sources: [], backup: undefined }, operator);
      await store.replay.queueReplay([
        entryOf(approved, "approved", 1),
        entryOf("del_later", "cancelled", 2),
      ]);
      await store.replay.startReplay();
      assert.equal((await store.replay.reopenDeletions(page, operator)).opened, 2);
      const done = (await store.processAll(late)).map((one) => one.deletionRequestId);
      assert.deepEqual(done.toSorted(), [approved, "del_later"].toSorted());
      assert.equal((await store.deletionOf(cancelled)).status, "cancelled");
      assert.equal((await store.deletionOf(open)).status, "pending");
      assert.equal(await store.exists(keyOf("transaction", "open")), true);
      await store.replay.finishReplay(operator);
    });
  });
}
