// What processes do while somebody else has locked a table: a check does not take it for a finding, a stop does not
// wait for it, and a start waits as for a database that is away.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Client } from "pg";
import { checkStore } from "../../../src/actions/check/check-store.ts";
import { openApp } from "../../../src/process/app.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { acme, operator, organization } from "../../conformance/scene.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { startService, testEnvironment } from "../../support/service.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { openTestStore, withActs } from "../../support/test-store.ts";
import { waitFor } from "../../support/wait-for.ts";

const server = await usePostgres();

async function configOf(settings: Readonly<Record<string, string>>) {
  const url = await server.makeDatabase();
  return readConfig(testEnvironment(makeTempFolder(), { ...settings, DATABASE_URL: url }));
}

const waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'record'::regclass";

/** Until it is disposed of. */
async function lockTable(url: string, table: string): Promise<AsyncDisposable> {
  const client = new Client(url);
  await client.connect();
  await client.query(`BEGIN; LOCK TABLE ${table}`);
  return { [Symbol.asyncDispose]: () => client.end() };
}

describe("a table that somebody has locked", () => {
  it("ends a check, which has found nothing then", async () => {
    const config = await configOf({ DATABASE_LOCK_TIMEOUT_MS: "50" });
    await using app = await openApp(config, { role: "command" });
    await using _ = await lockTable(config.databaseUrl, "receipt_key");
    await assert.rejects(checkStore(app), { errorName: "unavailable" });
  });

  it("delays a stop for little longer than the grace period, however long what is in progress waits", async () => {
    const url = await server.makeDatabase();
    const settings = {
      DATABASE_URL: url,
      DATABASE_LOCK_TIMEOUT_MS: "20000",
      SHUTDOWN_GRACE_MS: "0",
    };
    const service = await startService({ environment: settings });
    const { store } = service.app;
    await store.createOrganization(organization(acme), operator);
    await using lock = await lockTable(url, "record");
    const written = withActs(store).add("transaction", "t");
    await waitFor("the write to wait", async () => (await server.query(waiting, url))[0]);
    await service.stop();
    assert.match(service.log.at(-1) ?? "", /stopped before everything has ended/);
    await lock[Symbol.asyncDispose]();
    await written;
  });

  for (const table of ["deletion", "counter", "ledger"]) {
    it(`keeps a start waiting for its database, and is named as the reason (${table})`, async () => {
      const url = await server.makeDatabase();
      await (await openTestStore(url, { role: "command" })).close();
      await using _ = await lockTable(url, table);
      const settings = { DATABASE_URL: url, DATABASE_LOCK_TIMEOUT_MS: "50" };
      const short = { ...settings, DATABASE_START_TIMEOUT_MS: "0" };
      await assert.rejects(startService({ environment: short }), {
        name: "StoreError",
        isTemporary: true,
        message: /lock timeout/,
      });
    });
  }
});
