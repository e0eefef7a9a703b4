// The process is killed while it approves a proposal: neither the approval nor the act remains, and both can be done by
// the next process.

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, describe, it } from "node:test";
import { createOrganization } from "../../src/actions/access/create-organization.ts";
import { operate } from "../support/server.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { testEnvironment } from "../support/service.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { waitFor } from "../support/wait-for.ts";
import { addOperator, read, signIn, submit } from "./browse.ts";

/** The entry is the last statement of the transaction, and this never finishes it: it counts combinations. */
const stopAtTheEnd = `
  CREATE TRIGGER stopping BEFORE INSERT ON audit_entry WHEN NEW.action = 'proposal.approve'
  BEGIN
    SELECT count(*) FROM audit_entry a, audit_entry b, audit_entry c, audit_entry d, audit_entry e, audit_entry f,
      audit_entry g, audit_entry h, audit_entry i, audit_entry j, audit_entry k, audit_entry l, audit_entry m;
  END`;

/** Longer than any other transaction of a service that does nothing else. */
const looksMin = 20;

async function propose({ client }: ServerProcess, cookie: string): Promise<string> {
  const path = "/console/organization/approval/acme";
  const { headers } = await submit(client, path, { cookie, form: { approval: "off" } });
  return /^\/console\/proposal\/(prp_\w+)$/.exec(String(headers.location))?.[1] ?? "";
}

/** Whether a transaction is in progress. */
function isLocked(database: DatabaseSync): boolean {
  try {
    database.exec("BEGIN IMMEDIATE; ROLLBACK");
    return false;
  } catch {
    return true;
  }
}

describe("a process that is killed while it approves a proposal", () => {
  const folder = makeTempFolder();
  after(() => removeFolder(folder));
  const environment = testEnvironment(folder);
  const open = (timeout: number) => new DatabaseSync(`${folder}/sluice.db`, { timeout });
  const needsApproval = () =>
    operate(environment, async ({ store }) => {
      return (await store.findOrganization("acme"))?.deletionApproval === true;
    });

  it("leaves the proposal open and its act undone, and the next process does both", async () => {
    await operate(environment, async (app) => {
      await createOrganization(app, { name: "A", organizationId: "acme", deletionApproval: true });
      for (const name of ["anna", "ben"]) await addOperator(app, ["officer"], name);
    });
    const first = await startServerProcess(environment);
    const sign = (name: string) => operate(environment, (app) => signIn(app, first.client, name));
    const [anna, ben] = [await sign("anna"), await sign("ben")];
    const id = await propose(first, anna);
    const approval = { cookie: ben, form: { confirm: id } };
    const [database, looking] = [open(10_000), open(0)];
    database.exec(stopAtTheEnd);
    const answered = submit(first.client, `/console/proposal/${id}`, approval).then(
      () => true,
      () => false,
    );
    let looks = 0;
    await waitFor("the end of the transaction", () => {
      looks = isLocked(looking) ? looks + 1 : 0;
      return looks >= looksMin;
    });
    await first.end("SIGKILL");
    assert.equal(await answered, false);
    database.exec("DROP TRIGGER stopping");
    for (const one of [database, looking]) one.close();
    assert.equal(await needsApproval(), true);
    const second = await startServerProcess(environment);
    const { text } = await read(second.client, `/console/proposal/${id}`, { cookie: ben });
    assert.match(text, /Approve the proposal/);
    assert.equal((await submit(second.client, `/console/proposal/${id}`, approval)).status, 303);
    assert.equal(await second.end("SIGTERM"), 0);
    assert.equal(await needsApproval(), false);
  });
});
