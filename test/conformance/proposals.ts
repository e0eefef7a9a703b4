// Acts that need a second person: proposed instead of done, and done in the transaction of their approval or not at
// all, whatever happens meanwhile.

import { dayMs } from "../../src/basics/duration.ts";
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { proposalDays } from "../../src/domain/proposal.ts";
import type { Act } from "../../src/store/interface/act.ts";
import type { TestStore } from "../support/test-store.ts";
import { type Engine, openSite, useSite } from "./engine.ts";
import { acme, keyOf, officer, operator, organization } from "./scene.ts";

const now = operator.now + 10;
const lifetimeMs = proposalDays * dayMs;

const propose = (actor: string, proposalId: string): Act => ({ actor, now, proposalId });
const approve = (actor: string, approves: string, at = now + 1): Act => ({
  actor,
  now: at,
  approves,
});

const off = { deletionApproval: false };
const floor = { keepDays: 30, countedFrom: "last_seen", redactable: false } as const;

/** The objection or the new proposal; `done` if the act was done. */
function resultOf(outcome: unknown): unknown {
  if (typeof outcome !== "object" || outcome === null || !("unapproved" in outcome)) return "done";
  const { unapproved } = outcome;
  return typeof unapproved === "string" ? unapproved : "proposed";
}

export function testProposals(engine: Engine): void {
  describe(`${engine.name}: a proposal`, () => {
    const site = useSite(engine);
    let store: TestStore;
    let count = 0;
    let id = "";
    const prp = () => `prp_${(count += 1)}`;

    beforeEach(async () => {
      store = site().store;
      if ((await store.findOrganization(acme)) === undefined) {
        for (const name of ["anna", "ben", "carla"]) {
          await store.operators.create(officer(name), operator);
        }
        await store.createOrganization(organization(acme, { deletionApproval: true }), operator);
      }
      await store.changeOrganization(acme, { deletionApproval: true, retainDays: null }, operator);
      id = prp();
    });

    const isOn = async () => (await store.findOrganization(acme))?.deletionApproval === true;
    const change = (act: Act, wanted: object = off) => store.changeOrganization(acme, wanted, act);
    const statusOf = async (proposal = id) => (await store.proposals.find(proposal))?.status;

    it("is made of each act that takes protection away, and nothing is changed", async () => {
      await store.retention.setFloor(
        { organizationId: acme, resourceType: "person", rule: floor },
        operator,
      );
      await store.changeOrganization(acme, { retainDays: 400 }, operator);
      await store.add("transaction", "held");
      const key = keyOf("transaction", "held");
      await store.hold(key);
      const [hold] = await store.holds.ofRecords([key]);
      const rule = (wanted: object | undefined, act: Act) => {
        const changed = wanted && { ...floor, ...wanted };
        const own = { organizationId: acme, resourceType: "person", rule: changed };
        return store.retention.setFloor(own, act);
      };
      const acts: readonly ((act: Act) => Promise<unknown>)[] = [
        (act) => change(act),
        (act) => change(act, { retainDays: 399 }),
        (act) => rule(undefined, act),
        (act) => rule({ keepDays: 29 }, act),
        (act) => rule({ redactable: true }, act),
        (act) => rule({ countedFrom: "closed" }, act),
        (act) => rule({ deleteAfterDays: 40 }, act),
        (act) => store.holds.release(hold?.holdId ?? "", act, `reason of ${act.actor}`),
        (act) => store.closeOrganization(acme, act, { reason: `reason of ${act.actor}` }),
      ];
      const before = await Promise.all([
        store.findOrganization(acme),
        store.retention.listRules([acme]),
        store.holds.ofRecords([key]),
      ]);
      for (const [index, act] of acts.entries()) {
        assert.equal(resultOf(await act(propose("anna", prp()))), "proposed", String(index));
        assert.equal(resultOf(await act(approve("carla", "prp_none"))), "no_such_proposal");
      }
      const open = await store.proposals.list({ openAt: now, limit: 100 });
      const waiting = async (query: object) =>
        (await store.proposals.countWaiting({ openAt: now, approver: "ben", ...query })).proposals;
      assert.equal(await waiting({}), open.length);
      assert.equal(await waiting({ organizationId: acme }), open.length);
      assert.equal(await waiting({ organizationId: "none" }), 0);
      assert.equal(await waiting({ approver: "anna" }), 0);
      assert.equal(await waiting({ openAt: now + lifetimeMs }), 0);
      assert.equal(open.length, acts.length);
      // The same act again is the same proposal, whatever the reason.
      for (const act of acts) await act(propose("ben", prp()));
      assert.equal((await store.proposals.list({ openAt: now, limit: 100 })).length, acts.length);
      assert.deepEqual(
        await Promise.all([
          store.findOrganization(acme),
          store.retention.listRules([acme]),
          store.holds.ofRecords([key]),
        ]),
        before,
      );
      // What adds protection needs nobody else, and neither does the shell of the host.
      assert.equal(resultOf(await rule({ keepDays: 31 }, propose("anna", prp()))), "done");
      const higher = await change(propose("anna", prp()), { retainDays: 401 });
      assert.equal(resultOf(higher), "done");
      assert.equal(resultOf(await rule(undefined, operator)), "done");
      await store.release(key);
      for (const one of open) await store.proposals.decline(one.proposalId, approve("ben", ""));
    });

    it("is approved once, by another person, and done in the same moment", async () => {
      assert.equal(resultOf(await change(propose("anna", id))), "proposed");
      assert.equal(resultOf(await change(approve("anna", id))), "own_proposal");
      assert.equal(resultOf(await change(approve("worker", id))), "no_such_person");
      assert.equal(resultOf(await change(approve("ben", id), { retainDays: 1 })), "changed");
      assert.ok(await isOn());
      assert.equal(resultOf(await change(approve("ben", id))), "done");
      assert.ok(!(await isOn()));
      assert.equal(resultOf(await change(approve("carla", id))), "decided_before");
      const { status, decidedBy, proposedBy } = (await store.proposals.find(id)) ?? {};
      assert.deepEqual([status, proposedBy, decidedBy], ["approved", "anna", "ben"]);
      const entries = (await store.listAudit(0, 1_000)).slice(-3);
      assert.deepEqual(
        entries.map(({ action, actor }) => `${action} ${actor}`),
        ["proposal.create anna", "organization.change ben", "proposal.approve ben"],
      );
    });

    it("is of no use after its time, or once it is declined", async () => {
      await change(propose("anna", id));
      const late = now + lifetimeMs;
      assert.equal(resultOf(await change(approve("ben", id, late))), "expired");
      assert.equal(await store.proposals.decline(id, approve("ben", "", late)), "expired");
      assert.deepEqual(await store.proposals.list({ openAt: late, limit: 10 }), []);
      const all = await store.proposals.list({ limit: 100, organizationId: acme });
      assert.ok(all.some(({ proposalId }) => proposalId === id));
      assert.equal(await statusOf(), "open");
      assert.deepEqual(await store.proposals.expire({ actor: "worker", now: late }), {
        isMore: false,
      });
      assert.equal(await statusOf(), "expired");
      assert.equal((await store.listAudit(0, 1_000)).at(-1)?.action, "proposal.expire");
      assert.equal(resultOf(await change(approve("ben", id))), "expired");
      const second = prp();
      await change(propose("anna", second));
      assert.equal(typeof (await store.proposals.decline(second, approve("ben", ""))), "object");
      assert.equal(resultOf(await change(approve("ben", second))), "decided_before");
      assert.equal(await store.proposals.decline(second, approve("ben", "")), "decided_before");
      assert.equal(await store.proposals.decline("prp_none", operator), "no_such_proposal");
      assert.ok(await isOn());
    });

    it("is of no use if what it changes has changed meanwhile", async () => {
      await change(propose("anna", id), { retainDays: 30 });
      await change(operator, { retainDays: 60 });
      const approved = await change(approve("ben", id), { retainDays: 30 });
      assert.equal(resultOf(approved), "changed");
      assert.equal((await store.findOrganization(acme))?.retainDays, 60);
    });

    it("remains open if the act is not possible any more", async () => {
      await change(propose("anna", id), { retainDays: 20 });
      const rule = { ...floor, resourceType: "company", organizationId: acme };
      await store.retention.setFloor({ ...rule, rule: floor }, operator);
      const outcome = await change(approve("ben", id), { retainDays: 20 });
      assert.ok(outcome !== undefined && "ceilingTooLowFor" in outcome);
      assert.equal(await statusOf(), "open");
      assert.equal((await store.findOrganization(acme))?.retainDays, undefined);
      await store.retention.setFloor({ ...rule, rule: undefined }, operator);
    });

    it("is done once, even if two people approve it at the same time in two processes", async () => {
      await change(propose("anna", id));
      const another = await site().openAnother({ role: "command" });
      const outcomes = await Promise.all([
        change(approve("ben", id)),
        another.changeOrganization(acme, off, approve("carla", id)),
        change(approve("anna", id)),
      ]);
      assert.deepEqual(outcomes.map(resultOf).filter((one) => one === "done").length, 1);
      await another.close();
    });

    it("of somebody who was disabled meanwhile is of no use", async () => {
      await store.operators.create(officer("dora"), operator);
      await change(propose("dora", id));
      const second = prp();
      await change(propose("anna", second), { retainDays: 5 });
      await store.operators.disable("op_dora", operator);
      assert.equal(resultOf(await change(approve("ben", id))), "proposer_gone");
      const late = await change(approve("dora", second), { retainDays: 5 });
      assert.equal(resultOf(late), "no_such_person");
      assert.ok(await isOn());
    });

    it("of somebody whose issuer took all roles away meanwhile is of no use", async () => {
      await store.operators.create(officer("emil"), operator);
      await change(propose("emil", id));
      const session = {
        sessionId: "ses_emil",
        tokenHash: Buffer.alloc(32),
        method: "link",
      } as const;
      const act = { actor: "emil", now: operator.now };
      await store.operators.useIdentity("op_emil", [], {
        session: { ...session, createdAt: operator.now, expiresAt: operator.now + 1 },
        act,
      });
      assert.equal(resultOf(await change(approve("ben", id))), "proposer_gone");
      assert.ok(await isOn());
    });

    it("is one of a bounded number", async () => {
      const outcomes: unknown[] = [];
      for (let days = 1; days <= 102; days += 1) {
        outcomes.push(resultOf(await change(propose("anna", prp()), { retainDays: days })));
      }
      assert.equal(outcomes.at(-1), "too_many");
      const page = await store.proposals.list({ openAt: now, organizationId: acme, limit: 60 });
      const before = page.at(-1);
      const rest = await store.proposals.list({ openAt: now, limit: 60, before });
      const ids = new Set([...page, ...rest].map(({ proposalId }) => proposalId));
      assert.equal(ids.size, 100);
    });
  });

  describe(`${engine.name}: a proposal to close an organization`, () => {
    it("is approved together with the deletion that follows", async (test) => {
      const { store } = await openSite(engine, test);
      for (const name of ["anna", "ben"]) {
        await store.operators.create(officer(name), operator);
      }
      await store.createOrganization(organization(acme, { deletionApproval: true }), operator);
      await store.closeOrganization(acme, propose("anna", "prp_1"), { reason: "r" });
      assert.equal((await store.findOrganization(acme))?.closedAt, undefined);
      const act = approve("ben", "prp_1");
      await store.closeOrganization(acme, act, { reason: "r" });
      const wanted = { organizationId: acme, deletionRequestId: "del_1", reason: "r" };
      await store.requestOrganizationDeletion({ ...wanted, requestedBy: "operator" }, act);
      const { approval } = await store.deletionOf("del_1");
      assert.deepEqual(approval, { requester: "anna", approvedBy: "ben", approvedAt: act.now });
      const actions = (await store.listAudit(0, 100)).map(({ action }) => action).slice(-4);
      assert.deepEqual(actions, [
        "organization.close",
        "proposal.approve",
        "deletion.request",
        "deletion.approve",
      ]);
    });
  });
}
