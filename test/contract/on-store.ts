// Runs test files of this folder once more, on databases of their own: the same files, imported here, each service with
// its own database. They read, delete and write streams; what a store answers is in test/conformance for both engines.

import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { lacksPgBouncer, startPgBouncer } from "../support/postgres/pgbouncer.ts";
import { type PostgresServer, startPostgres } from "../support/postgres/postgres-server.ts";
import { useStores } from "../support/service.ts";

const ofFeatures = globSync("../feature/*/contract/*.test.ts", { cwd: import.meta.dirname });
const files = [...ofFeatures, "./deletions.test.ts", "./streams.test.ts"];

interface StoreOfService {
  readonly server: PostgresServer;
  /** How a service reaches a database of the server. */
  readonly settingsFor: (url: string) => Readonly<Record<string, string>>;
}

/** The files on PostgreSQL behind PgBouncer in transaction mode; a skipped test where it is not installed. */
export async function runFilesOnPooler({
  prepared,
}: {
  readonly prepared: boolean;
}): Promise<void> {
  const skip = lacksPgBouncer({ prepared });
  if (skip !== false) {
    it("the HTTP suite behind a pooler", { skip }, () => undefined);
    return;
  }
  const server = await startPostgres({ settings: { max_connections: "300" } });
  const pooler = await startPgBouncer(server.adminUrl, { prepared, serverConnections: 4 });
  const settingsFor = (url: string) => ({
    DATABASE_URL: pooler.through(url),
    DATABASE_PREPARE: prepared ? "on" : "off",
  });
  await runFilesOn({ server, settingsFor });
  after(() => pooler.remove());
  after(() => server.remove());
}

/** To be called at the top of a test file, which removes the server afterwards. */
export async function runFilesOn({ server, settingsFor }: StoreOfService): Promise<void> {
  /** The keys are the folders of the services, which may be restarted in place. */
  const databases = new Map<string, string>();
  useStores(async (folder) => {
    const url = databases.get(folder) ?? (await server.makeDatabase());
    databases.set(folder, url);
    return { DATABASE_POOL_MAX: "5", ...settingsFor(url) };
  });

  // Tests begin as soon as they are registered; the services that the next files start must not
  // affect their measurements.
  const imported = Promise.withResolvers<void>();
  before(() => imported.promise);
  for (const file of files) await import(file);
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
  });
}
