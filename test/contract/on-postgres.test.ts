// Tests of this folder once more on PostgreSQL: the same files, imported here, each service with its own database. They
// use every operation, and every way in which the service uses a store; what a store answers is in test/conformance for
// both engines.

import { after, before, describe, it } from "node:test";
import assert from "node:assert/strict";
import { startPostgres } from "../support/postgres/postgres-server.ts";
import { useStores } from "../support/service.ts";

const files = [
  "access-token.test.ts",
  "changes.test.ts",
  "changes-live.test.ts",
  "deletions.test.ts",
  "records.test.ts",
  "streams.test.ts",
];

const server = await startPostgres({ settings: { max_connections: "300" } });
/** By the folder of a service, which may be restarted in place. */
const databases = new Map<string, string>();

useStores(async (folder) => {
  const url = databases.get(folder) ?? (await server.makeDatabase());
  databases.set(folder, url);
  return { DATABASE_URL: url, DATABASE_POOL_MAX: "5" };
});

// Tests begin as soon as they are registered; the services that the next files start must not
// affect their measurements.
const imported = Promise.withResolvers<void>();
before(() => imported.promise);
for (const file of files) await import(`./${file}`);
imported.resolve();

describe("the HTTP suite on PostgreSQL", () => {
  it("has a database for each service that its files started", async () => {
    assert.ok(databases.size >= files.length / 2);
    let organizations = 0;
    for (const url of databases.values()) {
      const [row] = await server.query("SELECT count(*)::int AS found FROM organization", url);
      organizations += Number(row?.["found"]);
    }
    assert.ok(organizations >= files.length / 2, `${organizations} organizations`);
  });
});

after(async () => {
  for (const url of databases.values()) await server.dropDatabase(url);
  await server.remove();
});
