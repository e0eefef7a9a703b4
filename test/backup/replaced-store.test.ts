// A PostgreSQL database that is put back to an earlier state, or replayed, while processes serve it, as a failover to a
// replica that lagged does: each process stops, because what was erased since would be readable again.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { makeCommandLine } from "../cli/command-line.ts";
import { addTransaction, awaitCompletion, requestDeletion } from "../receipt/scene.ts";
import { makeCustomer } from "../support/customer.ts";
import { usePostgres } from "../support/postgres/postgres-server.ts";
import { startServer } from "../support/server.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { testEnvironment } from "../support/service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const postgres = await usePostgres();

const nameOf = (url: string) => new URL(url).pathname.slice(1);

/** Gives the other database the name of this one, and closes the connections of this one. */
async function putInPlace(url: string, other: string): Promise<void> {
  const [name, otherName] = [nameOf(url), nameOf(other)];
  await postgres.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await postgres.query(
    `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${name}'`,
  );
  await postgres.query(`ALTER DATABASE ${name} RENAME TO ${name}_lost`);
  await postgres.query(`ALTER DATABASE ${otherName} RENAME TO ${name}`);
}

async function startOn(environment: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const server = await startServerProcess(environment);
  after(() => server.child.kill("SIGKILL"));
  return server;
}

async function requireStopped(server: ServerProcess, expected: RegExp): Promise<void> {
  assert.equal(await server.ended(), 1, server.output().err);
  assert.match(server.output().err, expected);
}

describe("a process that serves a PostgreSQL store", () => {
  it("stops when an earlier state is put back", async () => {
    const folder = makeTempFolder();
    const environment = { DATABASE_URL: await postgres.makeDatabase() };
    const first = await startServer({ folder, environment });
    const acme = await first.operate((app) => makeCustomer(app, first.client));
    await addTransaction(first.client, acme, "gone");
    await first.stop();
    const earlier = await postgres.makeDatabase({ template: nameOf(environment.DATABASE_URL) });

    const server = await startOn(testEnvironment(folder, environment));
    await awaitCompletion(server.client, acme, await requestDeletion(server.client, acme, "gone"));
    await putInPlace(environment.DATABASE_URL, earlier);
    await requireStopped(server, /lacks entries that its ledger .* Run: sluice deletion replay/);

    const line = makeCommandLine({ folder, environment });
    assert.equal(((await line.ask("deletion replay"))["carried_out"] as unknown[]).length, 1);
    const again = await startServer({ folder, environment });
    const path = "/v2/transaction?tx_id=gone";
    assert.equal((await again.client.send({ method: "GET", path, token: acme.token })).status, 404);
    await again.stop();
  });

  it("stops when another process replays it", async () => {
    const environment = testEnvironment(makeTempFolder(), {
      DATABASE_URL: await postgres.makeDatabase(),
    });
    const server = await startOn(environment);
    const line = makeCommandLine({ environment });
    await line.ask("deletion replay", "--restored");
    await requireStopped(server, /has replayed the deletions of the store/);
  });
});
