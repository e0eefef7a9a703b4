// Acts that need a second person, in the console over HTTP: every way round is refused, and changes nothing.

import { dayMs } from "../../src/basics/duration.ts";
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { createOrganization } from "../../src/actions/access/create-organization.ts";
import { changeOrganization } from "../../src/actions/access/change-organization.ts";
import { requestDeletionOf } from "../../src/actions/deletion/request-deletion.ts";
import { holdRecord } from "../../src/actions/retention/holds.ts";
import { setRule } from "../../src/actions/retention/retention-rules.ts";
import { proposalDays } from "../../src/domain/proposal.ts";
import { addTransaction } from "../cli/write-transactions.ts";
import { read } from "./browse.ts";
import { signInPeople } from "./people.ts";

const organizationId = "acme";
const off = { approval: "off" };

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
        new RegExp(`The hold ${holdId} ends\\.`),
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
    assert.equal((await organization())?.closedAt, undefined);
    assert.ok((await app.store.holds.find(holdId)) !== undefined);
    assert.equal((await app.store.retention.listRules(organizationId))[0]?.keepDays, 30);
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
    assert.equal((await app.store.retention.listRules(organizationId))[0]?.keepDays, 25);
    const late = await proposeOff();
    clock.advanceMs(proposalDays * dayMs);
    for (const name of ["ben", "anna"]) await enter(name);
    assert.match(await show("ben", `proposal/${late}`), /expired/);
    assert.equal((await approve("ben", late)).status, 409);
    assert.equal((await organization())?.deletionApproval, true);
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
