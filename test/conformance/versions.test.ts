// The other versions of PostgreSQL that are supported and there: on each, a short part of the conformance suite, and a
// migration.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultConnections } from "../../src/store/interface/connection-settings.ts";
import { Database } from "../../src/store/postgres/database.ts";
import { migrate } from "../../src/store/postgres/migration/migrate.ts";
import { published } from "../../src/store/sql/migrations.ts";
import { wantedWorkers } from "../support/postgres/citus-cluster.ts";
import { findOtherServers, versionsSetting } from "../support/postgres/other-servers.ts";
import { type PostgresServer, startPostgres } from "../support/postgres/postgres-server.ts";
import { openTestStore } from "../support/test-store.ts";
import { usePostgresEngine } from "./postgres-engine.ts";
import { keyOf, transaction } from "./scene.ts";
import { testShortly } from "./suite.ts";
import { storeParts as parts } from "../../src/feature/parts.ts";

const addColumn = `ALTER TABLE hold ADD COLUMN planted bigint NOT NULL DEFAULT 7`;

async function requireMigration(server: PostgresServer): Promise<void> {
  const url = await server.makeDatabase();
  const store = await openTestStore(url, { role: "serve" });
  await store.write(transaction("one"));
  const database = new Database(url, { ...defaultConnections, parts });
  await migrate(database, { migrations: [...published, addColumn] });
  await database.close();
  assert.ok(await store.exists(keyOf("transaction", "one")));
  await store.hold(keyOf("transaction", "one"));
  assert.deepEqual(await server.query("SELECT planted::int AS planted FROM hold", url), [
    { planted: 7 },
  ]);
  await store.close();
}

for (const { major, programs } of await findOtherServers()) {
  const lack = `PostgreSQL ${major} is not installed, and ${versionsSetting} does not name it`;
  const onCluster = wantedWorkers() !== undefined && "the tests run on a cluster";
  describe(`PostgreSQL ${major}`, { skip: programs === undefined ? lack : onCluster }, () => {
    const options = { own: true, programs };
    testShortly(usePostgresEngine(`PostgreSQL ${major}`, options));

    it("is migrated", async (test) => {
      const server = await startPostgres(options);
      test.after(() => server.remove());
      const [row] = await server.query("SHOW server_version_num");
      assert.equal(Math.floor(Number(row?.["server_version_num"]) / 10_000), major);
      await requireMigration(server);
    });
  });
}
