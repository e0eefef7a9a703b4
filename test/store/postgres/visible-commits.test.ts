// Commits that a worker of a Citus cluster has only prepared, without Citus: a function of the database answers for the
// worker, which is the server itself, with what is prepared there.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { Client } from "pg";
import { storeParts as parts } from "../../../src/feature/parts.ts";
import { awaitWriters, readSettledArrival } from "../../../src/store/postgres/arrival.ts";
import { lockPlansOf } from "../../../src/store/postgres/erase/enter.ts";
import { openDatabase } from "../../../src/store/postgres/open-database.ts";
import { startPostgres } from "../../support/postgres/postgres-server.ts";
import { waitFor } from "../../support/wait-for.ts";

const organization = "acme";

const answerAs = (success: boolean) => `
  CREATE SEQUENCE IF NOT EXISTS asked;
  CREATE OR REPLACE FUNCTION run_command_on_workers(command text, OUT success boolean, OUT result text)
  LANGUAGE plpgsql AS $$ BEGIN
    PERFORM nextval('asked');
    success := ${success};
    EXECUTE command INTO result;
  END $$`;

/** What a worker does before the coordinator, which has committed, tells it to. */
const prepare = (name: string) => `
  BEGIN;
  SELECT set_config('sluice.organizations', '${organization}', true);
  INSERT INTO record (organization_id, resource_type, resource_id, first_seen, last_seen)
    VALUES ('${organization}', 'person', '${name}', '2026-01-01T00:00:00', '2026-01-01T00:00:00');
  PREPARE TRANSACTION '${name}'`;

describe("a commit that a worker of a cluster has only prepared", async () => {
  const server = await startPostgres({ settings: { max_prepared_transactions: "10" } });
  const url = await server.makeDatabase();
  const database = await openDatabase(url, { parts });
  database.distributed = true;
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(answerAs(true));
  after(async () => {
    await client.end();
    await database.close();
    await server.remove();
  });

  const plan = () =>
    database.transaction({ organizations: [organization] }, async (transaction) => {
      await lockPlansOf(transaction, organization);
      return transaction.all("SELECT resource_id FROM record");
    });

  const asked = async () => Number((await client.query("SELECT nextval('asked')")).rows[0].nextval);

  /** Resolves when the worker was asked several times, or the work is over. */
  async function begin(work: () => Promise<unknown>) {
    const state = { isOver: false };
    const before = await asked();
    const over = work().finally(() => (state.isOver = true));
    let looks = 0;
    await waitFor("the worker to be asked again", async () => {
      looks += 1;
      return state.isOver || (await asked()) > before + looks + 3;
    });
    return { state, over };
  }

  for (const [who, work] of [
    ["a reader of changes", () => readSettledArrival(database)],
    ["the deletion of an organization", () => awaitWriters(database)],
    ["a plan", plan],
  ] as const) {
    it(`is waited for by ${who}`, async () => {
      const name = `citus_${who}`;
      await client.query(prepare(name));
      const { state, over } = await begin(work);
      assert.equal(state.isOver, false);
      await client.query(`COMMIT PREPARED '${name}'`);
      await over;
    });
  }

  it("is in the plan that has waited for it", async () => {
    await client.query(prepare("citus_planned"));
    const { over } = await begin(plan);
    await client.query("COMMIT PREPARED 'citus_planned'");
    const rows = (await over) as readonly { readonly resource_id: string }[];
    assert.ok(rows.some(({ resource_id: id }) => id === "citus_planned"));
  });

  it("is not waited for if it is later, or of another program", async () => {
    await client.query(prepare("other"));
    await client.query(prepare("citus_first"));
    const { over } = await begin(plan);
    await client.query(prepare("citus_later"));
    await client.query("COMMIT PREPARED 'citus_first'");
    await over;
    for (const name of ["other", "citus_later"]) await client.query(`ROLLBACK PREPARED '${name}'`);
  });

  it("may be anywhere if a worker does not answer, so that nothing is planned", async () => {
    await client.query(answerAs(false));
    await assert.rejects(plan, { errorName: "unavailable" });
    await client.query(answerAs(true));
  });
});
