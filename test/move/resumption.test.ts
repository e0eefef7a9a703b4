// A move that is stopped or killed at any moment continues from there, and until it is complete
// nothing else opens the database.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, beforeEach, describe, it } from "node:test";
import { Client } from "pg";
import { readConfig } from "../../src/settings/config.ts";
import { type MovePhase, type MoveStep, MoveStopped } from "../../src/domain/move-step.ts";
import { move } from "../../src/process/move.ts";
import { serve } from "../../src/process/serve.ts";
import { makeCommandLine } from "../cli/command-line.ts";
import { type Started, startProgram } from "../cli/program.ts";
import { acme, organization, operator, transaction } from "../conformance/scene.ts";
import {
  password,
  type PostgresServer,
  startPostgres,
  usePostgres,
} from "../support/postgres/postgres-server.ts";
import { testEnvironment } from "../support/service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { waitFor } from "../support/wait-for.ts";
import { openTestStore } from "../support/test-store.ts";

/** Several pages of records, and of changes; most records have more than one. */
const records = 5_200;
const listLength = 1_300;

const server = await usePostgres();
let url: string;
const folder = makeTempFolder();
const environment = testEnvironment(folder);

before(async () => {
  await fillPages(environment["DATABASE_URL"] ?? "");
});
beforeEach(async (test) => {
  url = await server.makeDatabase();
  assert.ok("after" in test);
  test.after(() => server.dropDatabase(url));
});

async function fillPages(databaseUrl: string): Promise<void> {
  const store = await openTestStore(databaseUrl, { role: "command" });
  await store.createOrganization(organization(acme), operator);
  for (let from = 0; from < records; from += listLength) {
    const ids = Array.from({ length: listLength }, (_, index) => `t${from + index}`);
    await store.write(ids.map((id) => transaction(id)));
    const updates = ids.map((id) => transaction(id, { amount: from }));
    await store.write(updates, { mode: "update" });
  }
  await store.close();
}

async function requireWhole(): Promise<void> {
  const whole = [];
  for (const place of [environment["DATABASE_URL"] ?? "", url]) {
    const store = await openTestStore(place, { role: "command", existing: true });
    const upTo = await store.latestArrival();
    const page = { organizationId: acme, resourceType: "transaction", upTo, after: undefined };
    whole.push(await store.listChanges({ ...page, limit: 3 * records }));
    await store.requireConsistent();
    await store.close();
  }
  assert.equal(whole[0]?.length, 2 * records);
  assert.deepEqual(whole[1], whole[0]);
}

async function requireRefused(): Promise<void> {
  const words = /move of the embedded store store_\w+ .* not finished\. Run `sluice move` again/s;
  await assert.rejects(openTestStore(url, { role: "command" }), words);
  const settings = readConfig({ ...environment, DATABASE_URL: url });
  await assert.rejects(serve(settings), words);
}

/** Moves until a phase has reported this many steps, and returns where it was. */
async function moveUntil(phase: MovePhase, steps: number): Promise<MoveStep | undefined> {
  const stopping = new AbortController();
  let seen = 0;
  let last: MoveStep | undefined;
  const onStep = (step: MoveStep): void => {
    if (step.phase !== phase) return;
    last = step;
    seen += 1;
    if (seen === steps) stopping.abort();
  };
  const moving = move(readConfig(environment), {
    to: url,
    operator: "operator",
    stopping: stopping.signal,
    onStep,
  });
  return moving.then(
    () => undefined,
    (error: unknown) => {
      assert.ok(error instanceof MoveStopped, String(error));
      return last;
    },
  );
}

/** Starts a move and lets it come no further than the first change. */
async function startStuck(
  of: PostgresServer,
  to: string,
): Promise<{ program: Started; letGo: () => Promise<void> }> {
  await (await openTestStore(to, { role: "command" })).close();
  const lock = new Client({ connectionString: to });
  lock.on("error", () => undefined);
  await lock.connect();
  await lock.query("BEGIN; LOCK TABLE change IN EXCLUSIVE MODE");
  const program = startProgram(["move", "--to", to], {
    ...environment,
    DATABASE_LOCK_TIMEOUT_MS: "600000",
  });
  const waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'change'::regclass";
  await waitFor(
    "the program to wait for the table",
    async () => (await of.query(waiting, to)).length > 0,
    { intervalMs: 20 },
  );
  return { program, letGo: () => lock.end() };
}

describe("an interrupted move", () => {
  it("continues from every page at which it was stopped, and completes", async () => {
    const places: string[] = [];
    let rows = 0;
    for (let run = 0; run < 40; run += 1) {
      const step = await moveUntil("copy", 3);
      if (step === undefined) break;
      assert.ok(step.rows >= rows, "nothing is copied twice");
      rows = step.rows;
      places.push(step.table);
      if (run % 4 === 0) await requireRefused();
    }
    assert.ok(places.includes("change"), places.join(" "));
    assert.ok(new Set(places).size > 4, places.join(" "));
    await requireWhole();
  });

  it("is not complete before everything has been read back", async () => {
    const step = await moveUntil("verify", 2);
    assert.equal(step?.phase, "verify");
    await requireRefused();
    const line = makeCommandLine({ folder });
    const moved = await line.ask("move", "--to", url);
    assert.equal(moved["rows_copied_before"], moved["rows"]);
    await requireWhole();
  });

  it("stops at Ctrl-C, reports its progress, and continues", async () => {
    const { program, letGo } = await startStuck(server, url);
    program.child.kill("SIGINT");
    await letGo();
    const { code, err } = await program.ended;
    assert.equal(code, 1);
    assert.match(
      err,
      /The move was stopped\. [\d,]+ of [\d,]+ rows are copied\. Run the same command/,
    );
    await requireRefused();
    const moved = await makeCommandLine({ folder }).ask("move", "--to", url);
    assert.ok(Number(moved["rows_copied_before"]) >= records);
    await requireWhole();
  });

  it("continues after it was killed in the middle of a page", async () => {
    const { program, letGo } = await startStuck(server, url);
    program.child.kill("SIGKILL");
    assert.equal((await program.ended).code, -1);
    await letGo();
    await requireRefused();
    const moved = await makeCommandLine({ folder }).ask("move", "--to", url);
    assert.equal(moved["rows_copied_before"], records);
    await requireWhole();
  });

  it("continues after the server was away", async (test) => {
    const own = await startPostgres({ own: true });
    test.after(() => own.remove());
    const there = await own.makeDatabase();
    const { program } = await startStuck(own, there);
    await own.stop("kill");
    const { code, err } = await program.ended;
    assert.equal(code, 1);
    assert.match(
      err,
      /The move was interrupted: .* rows are copied\. Run the same command to continue/s,
    );
    await own.start();
    const moved = await makeCommandLine({ folder }).ask("move", "--to", there);
    assert.equal(moved["rows_copied_before"], records);
  });

  it("shows the password in no process list", async () => {
    const { program, letGo } = await startStuck(server, url);
    const words = readFileSync(`/proc/${program.child.pid}/cmdline`, "utf8");
    program.child.kill("SIGKILL");
    await letGo();
    const { err, out } = await program.ended;
    assert.ok(url.includes(password));
    for (const text of [words, err, out]) assert.ok(!text.includes(password), text);
  });
});

describe("a damaged copy", () => {
  it("is found by anything changed, missing or too much, and not served", async () => {
    await moveUntil("copy", 12);
    const template = new URL(url).pathname.slice(1);
    for (const damage of [
      "UPDATE change SET payload = payload || ' ' WHERE resource_id = 't17'",
      "DELETE FROM record WHERE resource_id = 't17'",
      `INSERT INTO record SELECT organization_id, resource_type, 'x', first_seen, last_seen
       FROM record LIMIT 1`,
    ]) {
      url = await server.makeDatabase({ template });
      await server.query(damage, url);
      const { code, message } = await makeCommandLine({ folder }).fail("move", "--to", url);
      assert.equal(code, 1, damage);
      assert.match(message, /The copy differs from the embedded store in (?:change|record) \(/);
      await requireRefused();
    }
  });
});
