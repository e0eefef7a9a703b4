// A move that is impossible is refused with a message that says what to do, and contains no
// password.

import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, it } from "node:test";
import { readConfig } from "../../../../src/settings/config.ts";
import { move } from "../../../../src/feature/move/run-move.ts";
import { makeCommandLine } from "../../../cli/command-line.ts";
import { runProgram } from "../../../cli/program.ts";
import { acme, organization, operator, transaction } from "../../../conformance/scene.ts";
import { readServiceRole } from "../../../support/guide-sql.ts";
import { password, urlOf, usePostgres } from "../../../support/postgres/postgres-server.ts";
import { startServer } from "../../../support/server.ts";
import { testEnvironment } from "../../../support/service.ts";
import { makeTempFolder, removeFolder } from "../../../support/temp-folder.ts";
import { openTestStore } from "../../../support/test-store.ts";

const server = await usePostgres();
let url: string;
beforeEach(async (test) => {
  url = await server.makeDatabase();
  assert.ok("after" in test);
  test.after(() => server.dropDatabase(url));
});

/** A small store in its own folder. */
async function makeSource(): Promise<string> {
  const folder = makeTempFolder();
  const store = await openTestStore(`sqlite:${join(folder, "sluice.db")}`, { role: "command" });
  await store.createOrganization(organization(acme), operator);
  await store.write(transaction("t1"));
  await store.close();
  return folder;
}

/** Begins a move and stops it after the first page. */
async function beginMove(folder: string): Promise<void> {
  const stopping = new AbortController();
  const moving = move(readConfig(testEnvironment(folder)), {
    to: url,
    operator: "operator",
    stopping: stopping.signal,
    onStep: ({ phase, rows }) => {
      if (phase === "copy" && rows > 0) stopping.abort();
    },
  });
  await assert.rejects(moving, { errorName: "stopped" });
}

async function requireRefused(folder: string, words: RegExp, to = url): Promise<void> {
  const { code, message } = await makeCommandLine({ folder }).fail("move", "--to", to);
  assert.notEqual(code, 0);
  assert.match(message, words);
  assert.ok(!message.includes(password), "the password is in the message");
}

describe("a move", () => {
  it("is refused to a database that is in use, which stays unchanged", async () => {
    const folder = await makeSource();
    const store = await openTestStore(url, { role: "command" });
    await store.createOrganization(organization("org_there"), operator);
    await store.close();
    await requireRefused(folder, /database that --to names is in use: it has rows in \w+\./);
    const left = await openTestStore(url, { role: "command" });
    assert.deepEqual(
      (await left.listOrganizations()).map(({ organizationId }) => organizationId),
      ["org_there"],
    );
    await left.close();
  });

  it("is refused to a database that is being served", async () => {
    const folder = await makeSource();
    const serving = await startServer({ environment: { DATABASE_URL: url } });
    await requireRefused(folder, /Other Sluice processes are connected to the database/);
    await serving.stop();
  });

  it("is refused to a database with a part of a store, before anything is read", async () => {
    await beginMove(await makeSource());
    const folder = await makeSource();
    const steps: string[] = [];
    const moving = move(readConfig(testEnvironment(folder)), {
      to: url,
      operator: "operator",
      stopping: new AbortController().signal,
      onStep: ({ phase }) => void steps.push(phase),
    });
    await assert.rejects(moving, /contains only a part of the embedded store store_/);
    assert.deepEqual(steps, []);
  });

  it("is refused from a store that is being served", async (test) => {
    const folder = await makeSource();
    const serving = await startServer({ folder });
    test.after(() => serving.stop());
    await requireRefused(folder, /is being served by another process .* Stop that one first/);
  });

  it("prevents the store from being served or written to", async () => {
    const folder = await makeSource();
    const environment = testEnvironment(folder);
    const at = environment["DATABASE_URL"] ?? "";
    const refused: Promise<void>[] = [];
    await move(readConfig(environment), {
      to: url,
      operator: "operator",
      stopping: new AbortController().signal,
      onStep: ({ phase }) => {
        if (phase !== "copy" || refused.length > 0) return;
        refused.push(assert.rejects(openTestStore(at, { role: "serve" }), /is being served/));
        const other = new DatabaseSync(join(folder, "sluice.db"), { timeout: 0 });
        assert.throws(() => other.exec("BEGIN IMMEDIATE"), /locked/);
        other.close();
      },
    });
    assert.equal(refused.length, 1);
    await Promise.all(refused);
  });

  it("is refused where there is no store, and creates none", async () => {
    const folder = makeTempFolder();
    await requireRefused(folder, /There is no store at .*sluice\.db\. Check DATABASE_URL/);
    removeFolder(folder);
  });

  it("is refused from PostgreSQL", async () => {
    const line = makeCommandLine({ environment: { DATABASE_URL: url } });
    const { message } = await line.fail("move", "--to", url);
    assert.match(message, /DATABASE_URL names a PostgreSQL database/);
    removeFolder(line.folder);
  });

  it("is refused to anything but a PostgreSQL URL, which is not repeated", async () => {
    const folder = await makeSource();
    for (const to of [`mysql://u:${password}@h/d`, "sqlite:./other.db", "postgres:", password]) {
      await requireRefused(folder, /--to must be a URL that begins with postgres:\/\//, to);
    }
  });

  it("reports what is wrong with the database, and shows no password", async () => {
    const folder = await makeSource();
    await requireRefused(folder, /not_there/, urlOf(url, { database: "not_there" }));
    await requireRefused(folder, /can't be opened/, url.replace(/:\d+\//, ":1/"));
    const wrong = urlOf(url, { user: "nobody_here" });
    await requireRefused(folder, /nobody_here/, wrong);
  });

  it("is refused with a role that can only serve", async () => {
    const folder = await makeSource();
    await (await openTestStore(url, { role: "command" })).close();
    const role = `sluice_mover_${process.pid}`;
    await server.query(readServiceRole(role, new URL(url).pathname.slice(1)), url);
    const to = urlOf(url, { user: role, password });
    await requireRefused(folder, /may not fill the database\. Use the role that owns/, to);
    await server.query(`DROP OWNED BY ${role}`, url);
    await server.query(`DROP ROLE ${role}`);
  });

  it("takes the password from PGPASSWORD, so that it need not be an argument", async () => {
    const folder = await makeSource();
    const environment = { ...testEnvironment(folder), PGPASSWORD: password };
    const to = urlOf(url, { password: "" });
    const { code, out, err } = await runProgram(["move", "--to", to], environment);
    assert.deepEqual([code, err], [0, ""]);
    assert.match(out, /Counts and digests of all \d+ tables are equal on both sides/);
    const shown = await makeCommandLine({ folder }).type("move", "--to", url);
    assert.match(
      shown.err,
      /other users .* can see the password in --to .* Use PGPASSWORD instead/,
    );
    assert.ok(!shown.err.includes(password), shown.err);
    assert.ok(out.includes(`Never serve ${join(folder, "sluice.db")} again`), out);
  });
});
