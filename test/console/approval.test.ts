// Approving deletions in the console: by a second person, one at a time and all that a filter finds. Acts that need a
// second person, in the console over HTTP: every way round is refused, and changes nothing.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DatabaseSync } from "node:sqlite";
import { changeOrganization } from "../../src/actions/access/change-organization.ts";
import { createKey } from "../../src/actions/access/keys.ts";
import { createOrganization } from "../../src/actions/access/create-organization.ts";
import { holdRecord } from "../../src/actions/retention/holds.ts";
import { requestDeletionOf } from "../../src/actions/deletion/request-as-operator.ts";
import { actAs } from "../../src/actions/operator/viewer.ts";
import type { DeletionStatus } from "../../src/domain/deletion/deletion.ts";
import { addRecord, addTransaction } from "../cli/write-transactions.ts";
import { waitFor } from "../support/wait-for.ts";
import { read } from "./browse.ts";
import { signInPeople } from "./people.ts";
import { dayMs } from "../../src/basics/duration.ts";
import { setRule } from "../../src/actions/retention/retention-rules.ts";
import { proposalDays } from "../../src/domain/proposal.ts";

const organizationId = "acme";

describe("approving deletions in the console", () => {
  const site = signInPeople(
    { anna: ["officer"], ben: ["officer"], carla: ["officer"], otto: ["operator"] },
    {
      prepare: ({ app }) =>
        createOrganization(app, { name: "A", organizationId, deletionApproval: true }),
    },
  );
  const { send, cookies } = site;
  const show = async (name: string, path: string) => (await site.show(name, path)).text;
  let records = 0;

  /** Requests the deletion of a new transaction under the name of this operator, or with this key. */
  async function ask(name: string, keyId?: string): Promise<string> {
    const { app, clock } = site.service;
    clock.advanceMs(1);
    records += 1;
    const resourceId = `t${records}`;
    await addTransaction(app, organizationId, { tx_id: resourceId });
    const operator = await app.store.operators.findByName(name);
    assert.ok(operator !== undefined);
    const wanted = { organizationId, resourceType: "transaction", resourceId, reason: "r" };
    const asking = keyId === undefined ? actAs(app, operator) : { ...app, operator: keyId };
    return (await requestDeletionOf(asking, wanted)).deletionRequestId;
  }

  async function statusOf(id: string): Promise<DeletionStatus | undefined> {
    return (await site.service.app.store.findDeletion(id, undefined))?.status;
  }

  /** Whether the script loads the page again. */
  async function isLoadedAgain(page: string, name: string): Promise<boolean> {
    const path = /data-progress="([^"]*)"/.exec(page)?.[1] ?? "";
    const { text } = await read(site.service.client, path, { cookie: cookies[name] });
    return (JSON.parse(text) as { readonly end: boolean }).end;
  }

  async function isCompleted(id: string): Promise<void> {
    await waitFor("the deletion", async () => (await statusOf(id)) === "completed");
  }

  const approve = async (name: string, id: string, confirm = id) =>
    (await send(name, `approval/${id}`, { confirm })).status;

  it("needs another person than the one who requested it, whatever the page offers", async () => {
    const id = await ask("anna");
    assert.match(await show("anna", `deletion/${id}`), /another person has to approve it/);
    const page = await show("ben", `deletion/${id}`);
    assert.match(page, /the approval of a second person/);
    assert.match(page, /requested by <bdi>anna<\/bdi>/);
    assert.match(page, /not approved yet/);
    assert.match(
      page,
      /erased on <time [^>]+>[^<]+<\/time> at the earliest[^]+Approve the deletion/,
    );
    assert.doesNotMatch(await show("otto", `deletion/${id}`), /Approve the deletion/);
    assert.equal(await approve("anna", id), 403);
    assert.equal(await approve("otto", id), 403);
    assert.equal(await approve("ben", id, "del_other"), 409);
    assert.equal(await approve("ben", "del_none"), 404);
    assert.equal(await statusOf(id), "pending");
    // The page follows what others do.
    assert.match(page, /data-progress="[^"]*state=unapproved"/);
    const asked = await show("anna", `deletion/${id}`);
    assert.equal(await isLoadedAgain(asked, "anna"), false);
    const held = site.service.holdStore("claimDeletions");
    assert.equal(await approve("ben", id), 303);
    const shown = await show("ben", `deletion/${id}`);
    assert.equal(await isLoadedAgain(asked, "anna"), true);
    assert.match(shown, /data-progress="[^"]*state=pending"/);
    assert.equal(await isLoadedAgain(shown, "ben"), false);
    held.release();
    await isCompleted(id);
    assert.equal(await isLoadedAgain(shown, "ben"), true);
    assert.doesNotMatch(await show("ben", `deletion/${id}`), /data-progress/);
    const done = await show("carla", `deletion/${id}`);
    assert.match(done, /approved by <bdi>ben<\/bdi>/);
    assert.match(done, /The receipt is genuine/);
    assert.equal(await approve("carla", id), 409);
  });

  it("is possible for all that a filter finds, if they are still those that were shown", async () => {
    const filter = "organization=acme&wait=approval";
    const [own, first, second] = [await ask("ben"), await ask("anna"), await ask("otto")];
    const { key } = await createKey({ ...site.service.app, operator: "ben" }, { organizationId });
    const ofKey = await ask("ben", key.keyId);
    const list = await show("ben", `deletions?${filter}`);
    assert.ok([own, ofKey, first, second].every((id) => list.includes(id)));
    const mine = await show("ben", "deletions?wait=mine");
    const shown = [own, ofKey, first, second].filter((id) => mine.includes(id));
    assert.deepEqual(shown, [first, second]);
    assert.match(await show("ben", `deletion/${ofKey}`), /created the key that did, so another/);
    // The navigation of every page counts them, without reading them, and that of somebody who may not approve none.
    const restore = site.service.breakStore("listDeletions", new Error("the deletions were read"));
    assert.match(await show("ben", "holds"), />2<span class="sr"> need your approval</);
    assert.doesNotMatch(await show("otto", "holds"), /need your approval/);
    restore();
    const link = /href="\/console\/(deletions\/approve\?[^"]+)"/.exec(list)?.[1] ?? "";
    const all = await show("ben", link.replaceAll("&amp;", "&"));
    assert.match(all, /Found: 2</);
    assert.ok(!all.includes(own));
    const digest = /name="digest" value="(\w+)"/.exec(all)?.[1] ?? "";
    const form = { organization: "acme", wait: "approval", digest, confirm: "2" };
    const path = "deletions/approve";
    assert.equal((await send("otto", path, form)).status, 403);
    for (const wrong of [{ confirm: "3" }, { digest: "0" }, { wait: "", confirm: "1" }]) {
      assert.equal((await send("ben", path, { ...form, ...wrong })).status, 409);
    }
    const third = await ask("anna");
    const changed = await send("ben", path, form);
    assert.equal(changed.status, 409);
    assert.match(changed.text, /the filter finds 3 deletions now/);
    await send("anna", `deletion/${third}`, { confirm: third });
    const { status, text } = await send("ben", path, form);
    assert.equal(status, 200);
    assert.match(text, /2 deletions were approved\./);
    for (const id of [first, second]) await isCompleted(id);
    assert.equal(await statusOf(own), "pending");
    assert.equal((await send("ben", path, form)).status, 409);
    const entries = await site.service.app.store.listAudit(0, 1_000);
    const approvals = entries.filter(({ subject }) => subject === first || subject === second);
    assert.equal(approvals.filter(({ action }) => action === "deletion.approve").length, 2);
  });

  it("has a counterpart that cancels all that a filter finds", async () => {
    const held = await ask("anna");
    const resourceId = `t${records}`;
    const record = { organizationId, resourceType: "transaction", resourceId };
    await holdRecord(site.service.app, record, { reason: "case 5" });
    assert.ok((await show("otto", "deletions?wait=hold")).includes(held));
    const page = await show("otto", "deletions/cancel?wait=hold");
    assert.match(page, /Found: 1</);
    const digest = /name="digest" value="(\w+)"/.exec(page)?.[1] ?? "";
    const { text } = await send("otto", "deletions/cancel", { wait: "hold", digest, confirm: "1" });
    assert.match(text, /1 deletion was cancelled\./);
    assert.equal(await statusOf(held), "cancelled");
    assert.match(await show("otto", "deletions/cancel?wait=hold"), /finds no deletion/);
  });

  it("reports what was done of 1,000 that are cancelled, if one of them fails", async () => {
    await createOrganization(site.service.app, { name: "Many", organizationId: "many" });
    await changeOrganization(site.service.app, "many", { deletionGraceSeconds: 86_400 });
    const ids = Array.from({ length: 1_000 }, (_, index) => `m${index}`);
    await Promise.all(
      ids.map(async (resourceId) => {
        await addTransaction(site.service.app, "many", { tx_id: resourceId });
        const key = { organizationId: "many", resourceType: "transaction", resourceId };
        await requestDeletionOf(site.service.app, { ...key, reason: "r" });
      }),
    );
    const page = await show("otto", "deletions/cancel?organization=many");
    assert.match(page, /Type the number\s+1,000\s+to\s+confirm/);
    const digest = /name="digest" value="(\w+)"/.exec(page)?.[1] ?? "";
    const { store } = site.service.app;
    const cancel = store.cancelDeletion;
    const [broken] = await store.listDeletions({ organizationId: "many", limit: 1 });
    const restore = site.service.replaceStore("cancelDeletion", async (id, ...more) => {
      if (id === broken?.deletionRequestId) throw new Error("the disk is wet");
      return cancel(id, ...more);
    });
    const form = { organization: "many", digest, confirm: "1,000" };
    const { status, text } = await send("otto", "deletions/cancel", form);
    restore();
    assert.equal(status, 200, text);
    assert.match(text, /999 deletions were cancelled\./);
    assert.match(text, /Not cancelled: 1</);
    assert.doesNotMatch(text, /the disk is wet/);
    assert.ok(site.service.log.some((line) => line.includes("the disk is wet")));
  });
});

const off = { deletionApproval: "off" };

describe("what needs a second person", () => {
  const site = signInPeople(
    {
      anna: ["officer"],
      ben: ["officer"],
      carla: ["officer"],
      otto: ["operator"],
    },
    {
      prepare: async ({ app }) => {
        await createOrganization(app, { name: "A", organizationId, deletionApproval: true });
        await createOrganization(app, { name: "Other", organizationId: "other" });
        await addTransaction(app, organizationId, { tx_id: "t1" });
      },
    },
  );
  const { enter, send, cookies } = site;
  const show = async (name: string, path: string) => (await site.show(name, path)).text;

  const organization = async () => site.service.app.store.findOrganization(organizationId);

  /** Returns the id of the proposal to which the browser is led. */
  async function propose(name: string, path: string, form: Readonly<Record<string, string>>) {
    const { status, headers } = await send(name, path, form);
    assert.equal(status, 303);
    const location = String(headers.location);
    const [, id = ""] = /^\/console\/proposal\/(prp_\w+)$/.exec(location) ?? [];
    assert.notEqual(id, "", location);
    return id;
  }

  const proposeOff = (name = "anna") =>
    propose(name, `organization/approval/${organizationId}`, off);
  const approve = (name: string, id: string, confirm = id) =>
    send(name, `proposal/${id}`, { confirm });
  const decline = (name: string, id: string) => send(name, `proposal/${id}/decline`, {});

  it("does not let one officer switch approval off, delete, and switch it on", async () => {
    const id = await proposeOff();
    assert.equal((await organization())?.deletionApproval, true);
    assert.match(await show("anna", `proposal/${id}`), /another person has to approve it/);
    const refused = await approve("anna", id);
    assert.equal(refused.status, 403);
    assert.match(refused.text, /another person has to approve it\. Nothing was changed/);
    // Neither does a second session, by another link.
    const first = cookies["anna"] ?? "";
    await enter("anna");
    assert.notEqual(cookies["anna"], first);
    assert.equal((await approve("anna", id)).status, 403);
    assert.equal((await organization())?.deletionApproval, true);
    const key = { organizationId, resourceType: "transaction", resourceId: "t1", reason: "r" };
    const deletion = await requestDeletionOf(site.service.app, key);
    assert.ok(deletion.approval !== undefined);
    await send("anna", `deletion/${deletion.deletionRequestId}`, {
      confirm: deletion.deletionRequestId,
    });
    await decline("anna", id);
  });

  it("shows another officer what would be done, who asked, and does it on approval", async () => {
    const id = await propose("anna", "retention/ceiling", {
      organization: organizationId,
      confirm: organizationId,
      days: "1",
    });
    assert.equal((await organization())?.retainDays, undefined);
    assert.match(await show("ben", "proposals"), new RegExp(`href="/console/proposal/${id}"`));
    const inOther = { cookie: `${cookies["ben"]}; sluice_organization=other` };
    const { text } = await read(site.service.client, "/console/proposals", inOther);
    assert.match(text, /Nothing waits for a second person/);
    const page = await show("ben", `proposal/${id}`);
    assert.match(page, /records are deleted 1 day after they were last seen/);
    assert.match(page, /It would request 1 deletion now/);
    assert.match(page, /by <bdi>anna<\/bdi>/);
    assert.equal((await approve("otto", id)).status, 403);
    assert.equal((await organization())?.retainDays, undefined);
    assert.equal((await approve("ben", id)).status, 303);
    assert.equal((await organization())?.retainDays, 1);
    const decided = await show("ben", `proposal/${id}`);
    assert.match(decided, /approved/);
    assert.match(
      decided,
      /deleted 1 day after they were last seen\. Before: none: records are kept/,
    );
    assert.equal((await approve("carla", id)).status, 409);
    await changeOrganization(site.service.app, organizationId, { retainDays: null });
  });

  it("is said in words for a rule, a hold and a closing, and none is done by one person", async () => {
    const { app } = site.service;
    const { holdId } = await holdRecord(
      app,
      { organizationId, resourceType: "transaction", resourceId: "t1" },
      { reason: "case 5" },
    );
    await setRule(app, { organizationId, resourceType: "person", keepDays: 30 });
    const rule = {
      rule: "person",
      keep: "20",
      organization: organizationId,
      confirm: organizationId,
    };
    const cases = [
      [
        "retention/rule",
        rule,
        /Each person must be kept for 20 days/,
        /for 20 days .* Before: Each person must be kept for 30 days/,
      ],
      [
        `hold/${holdId}`,
        { confirm: holdId },
        /The hold on transaction t1 ends: case 5/,
        new RegExp(`The hold ${holdId} on a transaction ends: case 5\\.`),
      ],
      [
        `organization/close/${organizationId}`,
        { confirm: organizationId },
        /All access of the/,
        /All access of the organization acme ends, and its records are erased\./,
      ],
    ] as const;
    for (const [path, form, effect, proposed] of cases) {
      const id = await propose("anna", path, form);
      assert.match(await show("ben", `proposal/${id}`), effect);
      assert.equal((await decline("ben", id)).status, 303);
      assert.match(await show("ben", `proposal/${id}`), proposed);
      assert.equal((await approve("carla", id)).status, 409, path);
    }
    const all = await show("ben", "proposals?state=all");
    assert.match(all, />retention rule: Person</);
    assert.match(all, />end of the approval</);
    assert.match(all, />ceiling</);
    assert.doesNotMatch(all, /data-label="Expires"><time/);
    assert.equal((await organization())?.closedAt, undefined);
    assert.ok((await app.store.holds.find(holdId)) !== undefined);
    assert.equal((await app.store.retention.listRules([organizationId]))[0]?.keepDays, 30);
    const id = await propose("anna", `hold/${holdId}`, { confirm: holdId });
    assert.equal((await approve("ben", id)).status, 303);
    assert.equal(await app.store.holds.find(holdId), undefined);
  });

  it("is refused after its time, and if the rule has changed meanwhile", async () => {
    const { app, clock } = site.service;
    const form = {
      rule: "person",
      keep: "10",
      organization: organizationId,
      confirm: organizationId,
    };
    const id = await propose("anna", "retention/rule", form);
    await setRule(app, { organizationId, resourceType: "person", keepDays: 25 });
    const { status, text } = await approve("ben", id);
    assert.equal(status, 409);
    assert.match(text, /Nothing was changed/);
    assert.equal((await app.store.retention.listRules([organizationId]))[0]?.keepDays, 25);
    const late = await proposeOff();
    clock.advanceMs(proposalDays * dayMs);
    for (const name of ["ben", "anna"]) await enter(name);
    assert.match(await show("ben", `proposal/${late}`), /<li>expired<br/);
    assert.equal((await approve("ben", late)).status, 409);
    assert.equal((await organization())?.deletionApproval, true);
  });

  it("still says which hold a release was about when it is done, but of no report", async () => {
    const { app } = site.service;
    const sar = { organizationId, resourceType: "customer_sar", resourceId: "s1" };
    const fields = {
      sar_id: "s1",
      status: "FILED",
      related_person_id: "p",
      timestamp: "2026-01-31T09:30:00Z",
    };
    await addRecord(app, organizationId, { type: "customer_sar", fields });
    const transaction = { organizationId, resourceType: "transaction", resourceId: "t1" };
    for (const key of [transaction, sar]) {
      const { holdId } = await holdRecord(app, key, { reason: "Court order 7" });
      const id = await propose("anna", `hold/${holdId}`, { confirm: holdId });
      assert.match(await show("ben", `hold/${holdId}`), new RegExp(`${id}">Its release was`));
      assert.equal((await approve("ben", id)).status, 303);
      const done = new RegExp(`The hold ${holdId} on a transaction ends: Court order 7\\.`);
      const shown = await show("ben", `proposal/${id}`);
      assert.equal(done.test(shown), key === transaction, shown);
    }
  });

  it("is neither approved nor done if the process ends in between", async () => {
    const id = await proposeOff();
    // The entry of the approval is the last statement of the transaction.
    const database = new DatabaseSync(`${site.service.folder}/sluice.db`, { timeout: 10_000 });
    database.exec(`
      CREATE TRIGGER ending BEFORE INSERT ON audit_entry WHEN NEW.action = 'proposal.approve'
      BEGIN SELECT RAISE(ABORT, 'ended'); END`);
    const { status } = await approve("ben", id);
    database.exec("DROP TRIGGER ending");
    database.close();
    assert.equal(status, 500);
    assert.equal((await organization())?.deletionApproval, true);
    assert.match(await show("ben", `proposal/${id}`), /Approve the proposal/);
    await decline("ben", id);
  });
});
