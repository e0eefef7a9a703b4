// How far a reader of changes may read on PostgreSQL, while transactions are open that have taken numbers, or that have not.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import { acme, transaction } from "../../conformance/scene.ts";
import { type PostgresServer, startPostgres } from "../../support/postgres/postgres-server.ts";
import { openTestStore, type TestStore } from "../../support/test-store.ts";
import { waitFor } from "../../support/wait-for.ts";

describe("the settled arrival number on PostgreSQL", () => {
  let server: PostgresServer;
  let store: TestStore;
  let client: Client;
  before(async () => {
    server = await startPostgres();
    const url = await server.makeDatabase();
    store = await openTestStore(url, { role: "serve" });
    client = new Client({ connectionString: url });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await store.close();
    await server.remove();
  });

  const settled = async () => (await store.settledArrival()).settled;

  it("goes on beside an open transaction of somebody else that has written", async () => {
    await client.query(`BEGIN; SELECT set_config('sluice.view', 'all', true);
      DELETE FROM change WHERE false; INSERT INTO meta (name, value) VALUES ('x', 1)`);
    const first = await settled();
    await store.write(transaction("beside"));
    assert.ok((await settled()) > first);
    await client.query("ROLLBACK");
  });

  it("waits before the numbers of a group that is not committed, and for nobody who adds nothing", async () => {
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
});
