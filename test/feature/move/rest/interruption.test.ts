// A move that is stopped or killed at any moment leaves a database that nothing opens until it was emptied.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, beforeEach, describe, it } from "node:test";
import { Client } from "pg";
import { readConfig } from "../../../../src/settings/config.ts";
import type { MovePhase, MoveStep } from "../../../../src/feature/move/store/copy.ts";
import { OperatorError } from "../../../../src/actions/operator/operator-error.ts";
import { move } from "../../../../src/feature/move/run-move.ts";
import { serve } from "../../../../src/process/serve.ts";
import { makeCommandLine } from "../../../cli/command-line.ts";
import { type Started, startProgram } from "../../../cli/program.ts";
import { acme, organization, operator, transaction } from "../../../conformance/scene.ts";
import {
  password,
  type PostgresServer,
  queryAs,
  startPostgres,
  usePostgres,
} from "../../../support/postgres/postgres-server.ts";
import { testEnvironment } from "../../../support/service.ts";
import { makeTempFolder } from "../../../support/temp-folder.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { openTestStore } from "../../../support/test-store.ts";

/** Several pages of records, and of changes; most records have more than one. */
const records = 5_200;
const listLength = 1_300;

const server = await usePostgres();
let url: string;
const folder = makeTempFolder();
const environment = testEnvironment(folder);

before(() => fillPages(environment["DATABASE_URL"] ?? ""));
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

const refusal =
  /contains only a part of the embedded store store_\w+, .* run (DROP SCHEMA .*;) or create/;

/** By everything that opens a store, and by another move. Returns the statements that empty it. */
async function requireRefused(at = url): Promise<string> {
  await assert.rejects(openTestStore(at, { role: "command" }), refusal);
  await assert.rejects(serve(readConfig({ ...environment, DATABASE_URL: at })), refusal);
  const { message } = await makeCommandLine({ folder }).fail("move", "--to", at);
  return refusal.exec(message)?.[1] ?? assert.fail(message);
}

/** As the owner, with the statements that the refusal names. */
async function moveAgain(at = url): Promise<void> {
  await queryAs(at, await requireRefused(at));
  const moved = await makeCommandLine({ folder }).ask("move", "--to", at);
  assert.ok(Number(moved["rows"]) > 3 * records);
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
      assert.ok(error instanceof OperatorError && error.errorName === "stopped", String(error));
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
  it("is refused by everything until the database is empty, wherever it was stopped", async () => {
    for (const [phase, steps] of [
      ["copy", 1],
      ["copy", 6],
      ["verify", 2],
    ] as const) {
      assert.equal((await moveUntil(phase, steps))?.phase, phase);
      await queryAs(url, await requireRefused());
    }
    await makeCommandLine({ folder }).ask("move", "--to", url);
    await requireWhole();
  });

  it("says at Ctrl-C how much it has copied, and that the database has to be emptied", async () => {
    const { program, letGo } = await startStuck(server, url);
    program.child.kill("SIGINT");
    await letGo();
    const { code, err } = await program.ended;
    assert.equal(code, 1);
    assert.match(err, /The move was stopped\. [\d,]+ rows were copied\. Empty the database before/);
    await moveAgain();
    await requireWhole();
  });

  it("is refused after it was killed in the middle of a page, and repeated", async () => {
    const { program, letGo } = await startStuck(server, url);
    program.child.kill("SIGKILL");
    assert.equal((await program.ended).code, -1);
    await letGo();
    await moveAgain();
    await requireWhole();
  });

  it("is refused after the server was away, and repeated", async (test) => {
    const own = await startPostgres({ own: true });
    test.after(() => own.remove());
    const there = await own.makeDatabase();
    const { program } = await startStuck(own, there);
    await own.stop("kill");
    const { code, err } = await program.ended;
    assert.equal(code, 1);
    assert.match(err, /The move was interrupted: .* rows were copied\. Empty the database/s);
    await own.start();
    await moveAgain(there);
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
