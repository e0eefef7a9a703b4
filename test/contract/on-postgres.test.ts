// The tests of this folder once more, on PostgreSQL: the same files, imported here, each service
// with its own database. Left out are files that stop or start servers, because they choose their
// store themselves; files that wait for samples of the process, because another file here replaces
// their timer; and files about connections, encodings and the form of replies, which do not depend
// on the store.

import { globSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import assert from "node:assert/strict";
import { startPostgres } from "../support/postgres/postgres-server.ts";
import { useStores } from "../support/service.ts";

const leftOut = new Set([
  "after-rejection.test.ts",
  "bodies.test.ts",
  "encodings.test.ts",
  "every-reply.test.ts",
  "load-shedding.test.ts",
  "no-files.test.ts",
  "numbers.test.ts",
  "openapi-check.test.ts",
  "on-postgres.test.ts",
  "postgres-away.test.ts",
  "rate-limits-on-redis.test.ts",
  "raw-http.test.ts",
  "stop.test.ts",
  "unauthenticated.test.ts",
  "unread-streams.test.ts",
]);

const server = await startPostgres({ settings: { max_connections: "300" } });
/** By the folder of a service, which may be restarted in place. */
const databases = new Map<string, string>();

useStores(async (folder) => {
  const url = databases.get(folder) ?? (await server.makeDatabase());
  databases.set(folder, url);
  return { DATABASE_URL: url, DATABASE_POOL_MAX: "5" };
});

const files = globSync("*.test.ts", { cwd: import.meta.dirname }).filter(
  (file) => !leftOut.has(file),
);
// Tests begin as soon as they are registered; the services that the next files start must not
// affect their measurements.
const imported = Promise.withResolvers<void>();
before(() => imported.promise);
for (const file of files.sort()) await import(`./${file}`);
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
