// How far readers of changes and exports may read on PostgreSQL, where numbers of arrival are assigned before their
// changes become visible: while transactions are open that have taken numbers, or that have not.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { Client } from "pg";
import { markBeginning } from "../../../src/store/postgres/commit/record.ts";
import { acme, transaction } from "../../conformance/scene.ts";
import { startPostgres } from "../../support/postgres/postgres-server.ts";
import { openTestStore } from "../../support/test-store.ts";
import { waitFor } from "../../support/wait-for.ts";

/** As a group of another process does it. */
const addSlowly = (id: string) => `
  BEGIN;
  SELECT set_config('sluice.organizations', '${acme}', true);
  ${markBeginning};
  INSERT INTO record (organization_id, resource_type, resource_id, first_seen, last_seen)
    VALUES ('${acme}', 'transaction', '${id}', '2026-01-01T00:00:00', '2026-01-01T00:00:00');
  INSERT INTO change
    (organization_id, resource_type, resource_id, change_no, received_at, payload)
    VALUES ('${acme}', 'transaction', '${id}', nextval('arrival'), 1, '{}')`;

describe("arrival numbers on PostgreSQL", async () => {
  const server = await startPostgres();
  const url = await server.makeDatabase();
  const store = await openTestStore(url, { role: "serve" });
  const client = new Client({ connectionString: url });
  await client.connect();
  after(async () => {
    await client.end();
    await store.close();
    await server.remove();
  });

  const settled = async () => (await store.settledArrival()).settled;

  it("are settled beside an open transaction of somebody else that has written", async () => {
    await client.query(`BEGIN; SELECT set_config('sluice.view', 'all', true);
      DELETE FROM change WHERE false; INSERT INTO meta (name, value) VALUES ('x', 1)`);
    const first = await settled();
    await store.write(transaction("beside"));
    assert.ok((await settled()) > first);
    await client.query("ROLLBACK");
  });

  it("are settled up to those of a group that is not committed, whoever else adds nothing", async () => {
    const begun = await settled();
    // The group waits for the end of this transaction when it stores the reply, after it has taken a number.
    await client.query(`BEGIN; SELECT set_config('sluice.organizations', '${acme}', true);
      INSERT INTO idempotent_reply (organization_id, key_hash, fingerprint, outcome, created_at)
      VALUES ('${acme}', '\\x01', '\\x02', '{}', 1)`);
    const mark = { keyHash: Buffer.from([1]), fingerprint: Buffer.from([2]) };
    const slow = store.write(transaction("slow"), { idempotency: mark });
    await waitFor("the group to wait with its number", async () => {
      const { latest } = await store.settledArrival();
      return latest > begun || undefined;
    });
    assert.equal(await settled(), begun);
    const { rows } = await client.query("SELECT nextval('arrival') AS taken");
    assert.ok(Number(rows[0].taken) > begun + 1);
    assert.equal(await settled(), begun);
    await client.query("ROLLBACK");
    await slow;
    assert.ok((await settled()) > begun + 1);
  });

  async function read(upTo: number): Promise<readonly string[]> {
    const asked = { organizationId: acme, resourceType: "transaction", after: undefined };
    const changes = await store.listChanges({ ...asked, upTo, limit: 100 });
    return changes.map(({ resourceId }) => resourceId);
  }

  for (const end of ["COMMIT", "ROLLBACK"] as const) {
    it(`of an export wait for a transaction with a lower number, until its ${end}`, async () => {
      await client.query(addSlowly(`slow ${end}`));
      await store.write(transaction(`quick ${end}`));
      let upTo: number | undefined;
      const reading = store.latestArrival().then((number) => (upTo = number));
      for (let round = 0; round < 30; round += 1) await store.ping();
      assert.equal(upTo, undefined);
      await client.query(end);
      const ids = await read(await reading);
      assert.equal(ids.includes(`quick ${end}`), true);
      assert.equal(ids.includes(`slow ${end}`), end === "COMMIT");
    });
  }
});
