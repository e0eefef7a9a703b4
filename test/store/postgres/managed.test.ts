// PostgreSQL as a managed service offers it: nobody is a superuser, the database belongs to the administrator, and the
// role of the service has only what the messages of the program ask for.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import { StoreError } from "../../../src/store/interface/store-error.ts";
import { keyOf, operator } from "../../conformance/scene.ts";
import { urlOf, usePostgres } from "../../support/postgres/postgres-server.ts";
import { makeTestSeal } from "../../support/seal.ts";
import { openTestStore } from "../../support/test-store.ts";

const administrator = "managed_administrator";
const role = "managed_service";
const database = "sluice_managed";

const server = await usePostgres();
const asAdministrator = urlOf(server.adminUrl, { user: administrator, database });
const url = urlOf(server.adminUrl, { user: role, database });

async function runAs(place: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: place });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Why a start is refused. */
async function refusal(): Promise<StoreError> {
  const error: unknown = await openTestStore(url, { role: "serve" }).then(
    (store) => store.close(),
    (refused: unknown) => refused,
  );
  assert.ok(error instanceof StoreError, String(error));
  return error;
}

/** The statements that it asks for. */
async function refusedAsking(): Promise<string> {
  const { message } = await refusal();
  const [, statements] = / run: (GRANT .*;)$/.exec(message) ?? [];
  assert.ok(statements, message);
  return statements;
}

/** What the role has or lacks, the message of a start, and what ends it. */
const obstacles = [
  {
    begin: `REVOKE CONNECT ON DATABASE ${database} FROM ${role}`,
    says: /permission denied for database .*GRANT CONNECT ON DATABASE\.$/,
    isTemporary: false,
    end: `GRANT CONNECT ON DATABASE ${database} TO ${role}`,
  },
  {
    begin: `ALTER ROLE ${role} CONNECTION LIMIT 0`,
    says: /too many connections .*Allow more connections .*or lower DATABASE_POOL_MAX\.$/,
    isTemporary: true,
    end: `ALTER ROLE ${role} CONNECTION LIMIT -1`,
  },
  {
    begin: `ALTER ROLE ${role} SET default_transaction_read_only = on`,
    says: /has default_transaction_read_only = on, which some providers set when the disk is full\.$/,
    isTemporary: true,
    end: `ALTER ROLE ${role} RESET default_transaction_read_only`,
  },
];

describe("PostgreSQL of a managed service", () => {
  before(async () => {
    await server.query(`CREATE ROLE ${administrator} LOGIN CREATEROLE CREATEDB`);
    await server.query(`CREATE ROLE ${role} LOGIN`);
    await server.query(`CREATE DATABASE ${database} OWNER ${administrator} TEMPLATE template0`);
    await runAs(asAdministrator, "REVOKE ALL ON SCHEMA public FROM PUBLIC");
    await runAs(asAdministrator, `REVOKE ALL ON DATABASE ${database} FROM PUBLIC`);
    await runAs(asAdministrator, `GRANT CONNECT ON DATABASE ${database} TO ${role}`);
  });
  after(async () => {
    await server.dropDatabase(url);
    await server.query(`DROP OWNED BY ${role}, ${administrator}`);
    await server.query(`DROP ROLE ${role}, ${administrator}`);
  });

  it("is told which right a start needs, and then migrates and serves in full", async () => {
    assert.equal(await refusedAsking(), `GRANT USAGE, CREATE ON SCHEMA public TO ${role};`);
    await runAs(asAdministrator, await refusedAsking());
    for (const { begin, says, isTemporary, end } of obstacles) {
      await server.query(begin);
      const { message, isTemporary: waits } = await refusal();
      assert.match(message, says);
      assert.equal(waits, isTemporary, message);
      await server.query(end);
    }
    const store = await openTestStore(url, { role: "serve", sealReceipt: makeTestSeal() });
    await store.add("transaction", "stays");
    await store.add("transaction", "goes");
    await store.probeWrite();
    await store.request(keyOf("transaction", "goes"));
    assert.equal((await store.processAll()).length, 1);
    await store.purgeExpired(operator.now);
    await store.purgeExpired(operator.now);
    assert.ok((await store.overview.sizeBytes()) > 0);
    assert.match(await store.overview.engineVersion(), /^\d/);
    await store.requireConsistent();
    await store.close();
  });

  it("is told which right it has lost since, when the schema may not be used any more", async () => {
    await runAs(asAdministrator, `REVOKE ALL ON SCHEMA public FROM ${role}`);
    assert.equal(await refusedAsking(), `GRANT USAGE ON SCHEMA public TO ${role};`);
    await runAs(asAdministrator, await refusedAsking());
    await (await openTestStore(url, { role: "serve" })).close();
  });
});
