// The moment of an export on PostgreSQL, where numbers of arrival are assigned before their changes
// become visible.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import { acme, transaction } from "../../conformance/scene.ts";
import { type PostgresServer, startPostgres } from "../../support/postgres/postgres-server.ts";
import { openTestStore, type TestStore } from "../../support/test-store.ts";

const addSlowly = (id: string) => `
  BEGIN;
  SELECT set_config('sluice.organizations', '${acme}', true);
  INSERT INTO record (organization_id, resource_type, resource_id, first_seen, last_seen)
    VALUES ('${acme}', 'transaction', '${id}', '2026-01-01T00:00:00', '2026-01-01T00:00:00');
  INSERT INTO change
    (organization_id, resource_type, resource_id, change_no, received_at, payload)
    VALUES ('${acme}', 'transaction', '${id}', nextval('arrival'), 1, '{}')`;

describe("the moment of an export on PostgreSQL", () => {
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

  async function read(upTo: number): Promise<readonly string[]> {
    const asked = { organizationId: acme, resourceType: "transaction", after: undefined };
    const changes = await store.listChanges({ ...asked, upTo, limit: 100 });
    return changes.map(({ resourceId }) => resourceId);
  }

  for (const end of ["COMMIT", "ROLLBACK"] as const) {
    it(`waits for a transaction with a lower number, until its ${end}`, async () => {
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
