// Dumps as the guide to PostgreSQL makes and restores them, with the real pg_dump: whole ones are served, and parts are
// recognised. docs/guides/postgresql.md, followed line by line as an administrator who is not a superuser: the owner,
// the database, the role that serves, and its VACUUM.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it, type TestContext } from "node:test";
import { Client } from "pg";
import { acme, keyOf, operator, organization, transaction } from "../../conformance/scene.ts";
import { readSql } from "../../support/guide-sql.ts";
import {
  type PostgresServer,
  startPostgres,
  urlOf,
  usePostgres,
} from "../../support/postgres/postgres-server.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { openTestStore } from "../../support/test-store.ts";
import { erasedTables } from "../../../src/store/postgres/erase/vacuum.ts";
import { makeTestSeal } from "../../support/seal.ts";
import { waitFor } from "../../support/wait-for.ts";
import { storeParts } from "../../../src/feature/parts.ts";

/** A server and its pg_dump have to be of the same version. */
const programs = globSync("/usr/lib/postgresql/*/bin").find((folder) =>
  ["postgres", "pg_dump", "pg_restore"].every((name) => existsSync(join(folder, name))),
);

function run(program: string, args: readonly string[]) {
  return spawnSync(join(programs ?? "", program), args, { encoding: "utf8", timeout: 60_000 });
}

interface Scene {
  readonly server: PostgresServer;
  readonly url: string;
  readonly file: string;
  /** An empty database. */
  readonly target: string;
}

async function makeScene(test: TestContext): Promise<Scene> {
  const server = await startPostgres({ own: true, programs });
  const folder = makeTempFolder();
  test.after(() => server.remove());
  const url = await server.makeDatabase();
  const store = await openTestStore(url, { role: "serve" });
  await store.createOrganization(organization(acme), operator);
  await store.write(transaction("one"));
  await store.close();
  await server.query(readSql("guides/postgresql.md", "CREATE ROLE sluice_backup"), url);
  return { server, url, file: join(folder, "sluice.dump"), target: await server.makeDatabase() };
}

const dumping = ["--format=custom", "--no-owner", "--no-privileges"];

function dump({ url, file }: Scene): void {
  const args = [...dumping, `--file=${file}`, urlOf(url, { user: "sluice_backup", password: "" })];
  assert.equal(run("pg_dump", args).stderr, "");
}

describe("a dump", { skip: programs === undefined && "pg_dump is not installed" }, () => {
  it("is served after it was restored as the guide says", async (test) => {
    const scene = await makeScene(test);
    dump(scene);
    const { file, target } = scene;
    assert.equal(run("pg_restore", ["--exit-on-error", `--dbname=${target}`, file]).stderr, "");
    const store = await openTestStore(target, { role: "serve" });
    assert.ok(await store.exists(keyOf("transaction", "one")));
    await store.write(transaction("two"));
    await store.requireConsistent();
    await store.close();
  });

  it("is not served where only a part of it was restored", async (test) => {
    const scene = await makeScene(test);
    dump(scene);
    const { file, target } = scene;
    const part = ["--section=pre-data", "--section=data"];
    assert.equal(run("pg_restore", [...part, `--dbname=${target}`, file]).stderr, "");
    const refused =
      /^StoreError: The database does not have the schema of this version\. The .* is missing\./;
    await assert.rejects(openTestStore(target, { role: "serve" }), refused);
    const store = await openTestStore(target, { role: "command" });
    const { findings } = await store.checkIntegrity();
    await store.close();
    for (const name of [
      "primary key of record",
      "index change_by_digest",
      "row-level security of change",
    ]) {
      assert.ok(findings.includes(`The ${name} is missing.`), `${name}: ${findings.join("\n")}`);
    }
  });
});

const guide = "guides/postgresql.md";
const administrator = "administrator";

/** The first version in which an owner can let another role vacuum its tables. */
const maintainSince = 170_000;

/** Statement by statement, as psql sends them. */
async function runAs(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of sql.split(";").filter((text) => text.trim() !== "")) {
      await client.query(statement);
    }
  } finally {
    await client.end();
  }
}

const server = await usePostgres({ own: true, settings: { autovacuum: "off" } });

/** The tables in which the documented query finds dead rows. */
async function findDead(): Promise<string> {
  const admin = urlOf(server.adminUrl, { database: "sluice" });
  const statements = readSql("reference/what-we-erase.md", "AS dead_rows").split(";\n");
  const dead: string[] = [];
  for (const sql of statements.filter((text) => text.trim() !== "")) {
    const rows = await server.query(sql, admin);
    dead.push(...rows.map(({ file }) => `${String(file)}: dead rows`));
  }
  return dead.join("\n");
}

describe("the guide to PostgreSQL, followed by an administrator who is not a superuser", () => {
  let version: number;
  let owner: string;
  let service: string;
  before(async () => {
    // The owner in the other tests has the name that the guide uses.
    await server.query("DROP ROLE sluice_owner");
    await server.query(`CREATE ROLE ${administrator} LOGIN CREATEROLE CREATEDB`);
    const [row] = await server.query("SELECT current_setting('server_version_num')::int AS is");
    version = Number(row?.["is"]);
    owner = urlOf(server.adminUrl, { user: "sluice_owner", database: "sluice" });
    service = urlOf(server.adminUrl, { user: "sluice_service", database: "sluice" });
  });
  it("creates the owner and the database, and then the role that serves and its rights", async () => {
    const asAdministrator = urlOf(server.adminUrl, { user: administrator });
    await runAs(asAdministrator, readSql(guide, "CREATE DATABASE sluice"));
    await (await openTestStore(owner, { role: "command" })).close();
    await runAs(asAdministrator, readSql(guide, "CREATE ROLE sluice_service"));
    await runAs(owner, readSql(guide, "GRANT CONNECT"));
    const store = await openTestStore(service, { role: "serve", sealReceipt: makeTestSeal() });
    await store.add("transaction", "t");
    await store.probeWrite();
    await store.requireConsistent();
    await store.close();
  });

  async function eraseAsService(id: string): Promise<void> {
    const store = await openTestStore(service, { role: "serve", sealReceipt: makeTestSeal() });
    await store.add("transaction", id);
    await store.request(keyOf("transaction", id), { deletionRequestId: `del_of_${id}` });
    assert.equal((await store.processAll()).length, 1);
    await store.purgeExpired(0);
    await store.close();
  }

  it("is right about what the role that serves can't vacuum, and how the owner does", async () => {
    await eraseAsService("one");
    assert.match(await findDead(), /^change: dead rows/m);
    const sql = readSql(guide, "VACUUM record");
    assert.match(sql, new RegExp(`^VACUUM ${erasedTables(storeParts).join(", ")};\n$`));
    await runAs(owner, sql);
    assert.equal(await findDead(), "");
  });

  it("is right about the version from which the role can be allowed to", async () => {
    const grant = readSql(guide, "GRANT MAINTAIN");
    if (version < maintainSince) {
      await assert.rejects(runAs(owner, grant), /unrecognized privilege type "maintain"/);
      return;
    }
    await runAs(owner, grant);
    await eraseAsService("two");
    const store = await openTestStore(service, { role: "serve" });
    await waitFor("the dead rows to be gone", async () => (await findDead()) === "");
    await store.close();
  });
});
