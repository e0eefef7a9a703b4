// What processes do while somebody else has locked a table: a check does not take it for a finding.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Client } from "pg";
import { checkStore } from "../../../src/actions/check/check-store.ts";
import { openApp } from "../../../src/process/app.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { testEnvironment } from "../../support/service.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

const server = await usePostgres();

async function configOf(settings: Readonly<Record<string, string>>) {
  const url = await server.makeDatabase();
  return readConfig(testEnvironment(makeTempFolder(), { ...settings, DATABASE_URL: url }));
}

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
});
