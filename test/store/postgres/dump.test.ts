// Dumps as the guide to PostgreSQL makes and restores them, with the real pg_dump: whole ones are served, and parts are
// recognised.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { acme, keyOf, operator, organization, transaction } from "../../conformance/scene.ts";
import { readSql } from "../../support/guide-sql.ts";
import {
  type PostgresServer,
  startPostgres,
  urlOf,
} from "../../support/postgres/postgres-server.ts";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";
import { openTestStore } from "../../support/test-store.ts";

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
  test.after(async () => {
    await server.remove();
    removeFolder(folder);
  });
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

  it("fails as the owner, and has no rows with --enable-row-security", async (test) => {
    const { url, file } = await makeScene(test);
    assert.match(
      run("pg_dump", [...dumping, `--file=${file}`, url]).stderr,
      /row-level security policy/,
    );
    const { stdout } = run("pg_dump", [
      "--enable-row-security",
      "--data-only",
      "--table=record",
      url,
    ]);
    assert.match(stdout, /COPY public\.record .* FROM stdin;\n\\\.\n/);
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
