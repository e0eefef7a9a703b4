// A PostgreSQL database that is put back to an earlier state, or replayed, while processes serve it, as a failover to a
// replica that lagged does: what was erased since is never served.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { earlierStateMs } from "../../src/actions/ledger/watch-store.ts";
import { serve } from "../../src/process/serve.ts";
import { readConfig } from "../../src/settings/config.ts";
import { makeCommandLine } from "../cli/command-line.ts";
import { addTransaction, awaitCompletion, requestDeletion } from "../receipt/scene.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { type Client, makeClient } from "../support/http-client.ts";
import { usePostgres } from "../support/postgres/postgres-server.ts";
import { operate } from "../support/server.ts";
import { startServerProcess } from "../support/server-process.ts";
import { testEnvironment } from "../support/service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { waitFor } from "../support/wait-for.ts";

const postgres = await usePostgres();

const nameOf = (url: string) => new URL(url).pathname.slice(1);

async function closeConnections(name: string): Promise<void> {
  await postgres.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await postgres.query(
    `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${name}'`,
  );
}

/** Gives the database of that name another name, and a database in its place. */
async function exchange(name: string, { to, from }: { to: string; from: string }): Promise<void> {
  await closeConnections(name);
  await postgres.query(`ALTER DATABASE ${name} RENAME TO ${to}`);
  await postgres.query(`ALTER DATABASE ${from} RENAME TO ${name}`);
  await postgres.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
}

/** A copy of the database as it is. */
async function copyOf(url: string): Promise<string> {
  await closeConnections(nameOf(url));
  const copy = nameOf(await postgres.makeDatabase({ template: nameOf(url) }));
  await postgres.query(`ALTER DATABASE ${nameOf(url)} ALLOW_CONNECTIONS true`);
  return copy;
}

const read = (client: Client, { token }: Customer) =>
  client.send({ method: "GET", path: "/v2/transaction?tx_id=gone", token });

async function makeEnvironment() {
  const url = await postgres.makeDatabase();
  return testEnvironment(makeTempFolder(), { DATABASE_URL: url });
}

/** Adds a record, copies the database, and erases the record. Returns the name of the copy. */
async function play(client: Client, acme: Customer, url: string): Promise<string> {
  await addTransaction(client, acme, "gone");
  const earlier = await copyOf(url);
  const id = await waitFor("a deletion", () =>
    requestDeletion(client, acme, "gone").catch(() => undefined),
  );
  await awaitCompletion(client, acme, id);
  return earlier;
}

describe("a process that serves a PostgreSQL store", () => {
  it("uses no earlier state that is put in its place, and continues when it is gone", async () => {
    const environment = await makeEnvironment();
    const { DATABASE_URL: url = "" } = environment;
    const server = await startServerProcess({ ...environment, LOG_LEVEL: "error" });
    after(() => server.child.kill("SIGKILL"));
    const { client } = server;
    const acme = await operate(environment, (app) => makeCustomer(app, client));
    const earlier = await play(client, acme, url);
    await exchange(nameOf(url), { to: `${nameOf(url)}_newest`, from: earlier });
    const statuses = new Set<number>();
    await waitFor("the cause in the log", async () => {
      statuses.add((await read(client, acme)).status);
      return server.output().err.includes("An earlier state of the database") || undefined;
    });
    assert.deepEqual([...statuses], [503]);
    await exchange(nameOf(url), { to: earlier, from: `${nameOf(url)}_newest` });
    await waitFor("the newest state", async () =>
      (await read(client, acme)).status === 404 ? true : undefined,
    );
    await addTransaction(client, acme, "further");
    assert.equal(await server.end("SIGTERM"), 0);
  });

  it("stops when the earlier state stays, until its deletions are replayed", async () => {
    const environment = await makeEnvironment();
    const { DATABASE_URL: url = "" } = environment;
    let passedMs = 0;
    const serving = await serve(readConfig(environment), { now: () => Date.now() + passedMs });
    const client = makeClient(serving.address);
    const acme = await operate(environment, (app) => makeCustomer(app, client));
    const earlier = await play(client, acme, url);
    await exchange(nameOf(url), { to: `${nameOf(url)}_lost`, from: earlier });
    const clock = setInterval(() => (passedMs += earlierStateMs / 10), 100);
    const { message } = await serving.replaced;
    clearInterval(clock);
    assert.match(message, /lacks entries that its ledger/);
    client.close();
    await serving.stop(0);
    const line = makeCommandLine({ environment });
    assert.equal(((await line.ask("deletion replay"))["carried_out"] as unknown[]).length, 1);
    const again = await startServerProcess(environment);
    after(() => again.child.kill("SIGKILL"));
    assert.equal((await read(again.client, acme)).status, 404);
    await again.end("SIGTERM");
  });

  it("stops when another process replays it", async () => {
    const environment = await makeEnvironment();
    const server = await startServerProcess(environment);
    after(() => server.child.kill("SIGKILL"));
    await makeCommandLine({ environment }).ask("deletion replay", "--restored");
    assert.equal(await server.ended(), 1);
    assert.match(server.output().err, /has restored the store or replayed its deletions/);
  });
});
