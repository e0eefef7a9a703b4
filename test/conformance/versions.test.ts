// The other versions of PostgreSQL that are supported and there: on each, a short part of the conformance suite, and a
// migration.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, it } from "node:test";
import { storeParts as parts } from "../../src/feature/parts.ts";
import { defaultConnections } from "../../src/store/interface/connection-settings.ts";
import { Database } from "../../src/store/postgres/database.ts";
import { migrate } from "../../src/store/postgres/migration/migrate.ts";
import { published } from "../../src/store/sql/migrations.ts";
import { wantedWorkers } from "../support/postgres/citus-cluster.ts";
import { installedBinaries } from "../support/postgres/postgres-binaries.ts";
import { type PostgresServer, startPostgres } from "../support/postgres/postgres-server.ts";
import { openTestStore } from "../support/test-store.ts";
import { usePostgresEngine } from "./postgres-engine.ts";
import { keyOf, transaction } from "./scene.ts";
import { testShortly } from "./suite.ts";

/**
 * Folders of programs, separated as in PATH, besides those of the packages of Debian and of the PostgreSQL project.
 * They are not dependencies, because each version would be 60 MB of every installation.
 */
const versionsSetting = "SLUICE_TEST_POSTGRES_BINS";

const supportedMajors = [15, 16, 17, 18] as const;

interface OtherServer {
  readonly major: number;
  /** The folder of its programs; undefined if it is not there. */
  readonly programs: string | undefined;
}

/** Each version that is supported, without the one that the tests run on. */
async function findOtherServers(): Promise<readonly OtherServer[]> {
  const usual = majorOf((await installedBinaries()).postgres);
  const named = (process.env[versionsSetting] ?? "").split(delimiter);
  const folders = named.filter((folder) => folder !== "");
  return supportedMajors
    .filter((major) => major !== usual)
    .map((major) => {
      const packaged = [`/usr/lib/postgresql/${major}/bin`, `/usr/pgsql-${major}/bin`];
      const programs = [...folders, ...packaged.filter(existsSync)].find(
        (folder) => majorOf(join(folder, "postgres")) === major,
      );
      return { major, programs };
    });
}

function majorOf(program: string): number {
  const said = execFileSync(program, ["--version"], { encoding: "utf8" });
  return Number(/\(PostgreSQL\) (\d+)/.exec(said)?.[1]);
}

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
