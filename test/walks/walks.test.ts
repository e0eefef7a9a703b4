// The walks of docs/reading-the-code.md are what really runs: each is followed by a process that serves the request of
// the walk, and whose functions are counted.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createKey } from "../../src/actions/access/keys.ts";
import { createOrganization } from "../../src/actions/access/create-organization.ts";
import { allScopes } from "../../src/domain/scope.ts";
import { addOperator, read, signIn } from "../console/browse.ts";
import { readWalks } from "../repository/rule/walks.ts";
import { readFile } from "../repository/tree.ts";
import { fetchToken } from "../support/customer.ts";
import { withDatabases } from "../support/database-maker.ts";
import type { Client } from "../support/http-client.ts";
import { operate } from "../support/server.ts";
import { startServerProcess } from "../support/server-process.ts";
import { testEnvironment } from "../support/service.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { waitFor } from "../support/wait-for.ts";
import { findUnrun, findUnnamed, type RanCode, readRanCode } from "./ran-code.ts";

interface Caller {
  readonly client: Client;
  readonly authorization: string;
  readonly cookie: string;
}

const transaction = {
  tx_id: "tx-1",
  type: "DEPOSIT",
  method: "SEPA",
  amount: 1250.5,
  currency: "EUR",
  status: "PENDING",
  sender_id: "person-81",
  sender_country: "DE",
  timestamp: "2026-01-31T09:30:00Z",
};

async function add({ client, authorization }: Caller): Promise<void> {
  const headers = { authorization };
  const path = "/v2/transaction";
  const { status } = await client.send({ method: "POST", path, headers, body: transaction });
  assert.equal(status, 201);
}

async function addThenDelete(caller: Caller): Promise<void> {
  await add(caller);
  const { client, authorization } = caller;
  const headers = { authorization };
  const body = { tx_id: transaction.tx_id, reason: "requested" };
  const asked = await client.send({ method: "DELETE", path: "/v2/transaction", headers, body });
  const path = `/v2/deletion_request?deletion_request_id=${asked.body.deletion_request_id}`;
  await waitFor("the deletion", async () => {
    const { body: deletion } = await client.send({ method: "GET", path, headers });
    return deletion.status === "completed";
  });
}

async function readPage({ client, cookie }: Caller): Promise<void> {
  assert.equal((await read(client, "/console/deletions", { cookie })).status, 200);
}

/** Starts a process on an empty store, and returns what ran in it from its start to its end. */
async function watch(
  request: (caller: Caller) => Promise<void>,
  databaseUrl?: string,
): Promise<RanCode> {
  const folder = makeTempFolder();
  try {
    const more = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
    const environment = testEnvironment(folder, more);
    const apiKey = await operate(environment, async (app) => {
      await createOrganization(app, { name: "Acme", organizationId: "acme" });
      await addOperator(app, ["officer", "operator"], "officer");
      return (await createKey(app, { organizationId: "acme", scopes: allScopes })).secret;
    });
    const coverage = join(folder, "coverage");
    mkdirSync(coverage);
    const server = await startServerProcess({ ...environment, NODE_V8_COVERAGE: coverage });
    try {
      const { client } = server;
      const cookie = await operate(environment, (app) => signIn(app, client, "officer"));
      const token = await fetchToken(client, { organizationId: "acme", apiKey });
      await request({ client, cookie, authorization: `Bearer ${token}` });
    } finally {
      await server.end("SIGTERM");
    }
    return readRanCode(coverage);
  } finally {
    removeFolder(folder);
  }
}

describe("the walks through the code", async () => {
  const walks = readWalks(readFile("docs/reading-the-code.md"));
  const idle = await watch(async () => {});
  const onPostgres = await withDatabases("postgres", async (makeDatabase) =>
    watch(addThenDelete, await makeDatabase?.()),
  );

  const requests: readonly (readonly [
    heading: string,
    request: (caller: Caller) => Promise<void>,
    unnamedMax: number,
  ])[] = [
    ["One added transaction", add, 5],
    ["One deletion", addThenDelete, 15],
    ["One page of the console", readPage, 4],
  ];
  for (const [heading, request, unnamedMax] of requests) {
    it(`name what runs for ${heading.toLowerCase()}`, async () => {
      const walk = walks.find((found) => found.heading === heading);
      assert.ok(walk !== undefined);
      const ran = await watch(request);
      const steps = walk.steps.map((step) => ({ ...step, text: readFile(step.path).text }));
      assert.deepEqual(findUnrun(steps, [ran, onPostgres]), []);
      assert.deepEqual(findUnnamed(steps, { ran, besides: idle, unnamedMax }), []);
    });
  }

  it("would be refused with a function that does not run, or without a file that runs", () => {
    const ran = idle;
    const text = readFile("src/process/serve.ts").text;
    const step = { path: "src/process/serve.ts", names: ["serve"], line: 1, text };
    assert.deepEqual(findUnrun([step], [ran]), []);
    const absent = { path: "src/http/verb/write-verbs.ts", names: ["addRecord"], line: 2 };
    const wrong = { ...absent, text: "function addRecord() {}" };
    assert.equal(findUnrun([step, wrong], [ran]).length, 1);
    assert.ok(findUnnamed([step], { ran, besides: new Map(), unnamedMax: 4 }).length > 10);
  });
});
