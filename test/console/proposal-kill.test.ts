// The process is killed while it approves a proposal: neither the approval nor the act remains, and both can be done by
// the next process. On SQLite, proposals.test.ts ends the transaction.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { createOrganization } from "../../src/actions/access/create-organization.ts";
import { type PostgresServer, usePostgres } from "../support/postgres/postgres-server.ts";
import { operate } from "../support/server.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { testEnvironment } from "../support/service.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { waitFor } from "../support/wait-for.ts";
import { addOperator, read, signIn, submit } from "./browse.ts";

/** A store whose last statement of an approval, the entry of the trail, can be kept from ending. */
type Stopper = Awaited<ReturnType<typeof makeStopper>>;

/** The server finds out that the process is gone while the statement sleeps, as it would between two statements. */
async function makeStopper(postgres: PostgresServer) {
  const databaseUrl = await postgres.makeDatabase();
  const name = new URL(databaseUrl).pathname.slice(1);
  const query = (sql: string) => postgres.query(sql, databaseUrl);
  await query(`ALTER DATABASE ${name} SET client_connection_check_interval = '50ms'`);
  return {
    databaseUrl,
    /** Only after the store was made. */
    stop: () =>
      query(`
        CREATE FUNCTION stopping() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM pg_sleep(600); RETURN NEW; END $$;
        CREATE TRIGGER stopping BEFORE INSERT ON audit_entry
          FOR EACH ROW WHEN (NEW.action = 'proposal.approve') EXECUTE FUNCTION stopping()`),
    isStopped: async () => {
      const sleeping =
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'";
      return (await query(sleeping)).length === 1;
    },
    /** Only after the end of the process. */
    release: () => query("DROP TRIGGER stopping ON audit_entry"),
  };
}

async function propose({ client }: ServerProcess, cookie: string): Promise<string> {
  const path = "/console/organization/approval/acme";
  const { headers } = await submit(client, path, { cookie, form: { approval: "off" } });
  return /^\/console\/proposal\/(prp_\w+)$/.exec(String(headers.location))?.[1] ?? "";
}

async function killWhileApproving(folder: string, stopper: Stopper): Promise<void> {
  const environment = testEnvironment(folder, { DATABASE_URL: stopper.databaseUrl });
  const needsApproval = () =>
    operate(environment, async ({ store }) => {
      return (await store.findOrganization("acme"))?.deletionApproval === true;
    });
  await operate(environment, async (app) => {
    await createOrganization(app, { name: "A", organizationId: "acme", deletionApproval: true });
    for (const name of ["anna", "ben"]) await addOperator(app, ["officer"], name);
  });
  const first = await startServerProcess(environment);
  const sign = (name: string) => operate(environment, (app) => signIn(app, first.client, name));
  const [anna, ben] = [await sign("anna"), await sign("ben")];
  const id = await propose(first, anna);
  const approval = { cookie: ben, form: { confirm: id } };
  await stopper.stop();
  const answered = submit(first.client, `/console/proposal/${id}`, approval).then(
    () => true,
    () => false,
  );
  await waitFor("the end of the transaction", async () => (await stopper.isStopped()) || undefined);
  await first.end("SIGKILL");
  assert.equal(await answered, false);
  await stopper.release();
  assert.equal(await needsApproval(), true);
  const second = await startServerProcess(environment);
  const { text } = await read(second.client, `/console/proposal/${id}`, { cookie: ben });
  assert.match(text, /Approve the proposal/);
  assert.equal((await submit(second.client, `/console/proposal/${id}`, approval)).status, 303);
  assert.equal(await second.end("SIGTERM"), 0);
  assert.equal(await needsApproval(), false);
}

describe("a process that is killed while it approves a proposal", async () => {
  const folder = makeTempFolder();
  const postgres = await usePostgres();
  after(() => removeFolder(folder));

  it("leaves the proposal open and its act undone in PostgreSQL, and the next process does both", async () =>
    killWhileApproving(folder, await makeStopper(postgres)));
});
