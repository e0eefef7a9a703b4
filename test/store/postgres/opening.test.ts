// Opening a store on PostgreSQL: which role can, what is rejected and with which message, and that
// many can at once.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import { StoreError } from "../../../src/store/interface/store-error.ts";
import { schemaVersion } from "../../../src/store/sql/migrations.ts";
import { readServiceRole } from "../../support/guide-sql.ts";
import { makeTestSeal } from "../../support/seal.ts";
import { password, urlOf, usePostgres } from "../../support/postgres/postgres-server.ts";
import {
  acme,
  bytesOf,
  keyOf,
  newKey,
  newToken,
  operator,
  organization,
  transaction,
} from "../../conformance/scene.ts";
import { storeSamples } from "../../feature/samples.ts";
import { openTestStore, type TestStore } from "../../support/test-store.ts";

/** As the operator's view sees it, so that only privileges matter. */
async function queryAs(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("BEGIN; SELECT set_config('sluice.view', 'all', true)");
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function requireRefused(url: string, words: RegExp): Promise<void> {
  await assert.rejects(openTestStore(url, { role: "command" }), (error: Error) => {
    assert.equal(error.name, "StoreError");
    assert.match(error.message, words);
    assert.ok(!error.message.includes(password), "the password is in the message");
    return true;
  });
}

const server = await usePostgres();

describe("opening a store on PostgreSQL", () => {
  const made: string[] = [];
  after(async () => {
    for (const url of made) await server.dropDatabase(url);
  });

  async function makeDatabase(): Promise<string> {
    const url = await server.makeDatabase();
    made.push(url);
    return url;
  }

  it("creates the tables of an empty database, also from many connections at once", async () => {
    const url = await makeDatabase();
    const stores = await Promise.all(
      Array.from({ length: 6 }, () => openTestStore(url, { role: "serve" })),
    );
    for (const store of stores) await store.requireConsistent();
    const found = await server.query(
      "SELECT value::int AS version FROM meta WHERE name = 'schema_version'",
      url,
    );
    for (const store of stores) assert.deepEqual(found, [{ version: store.schemaVersion }]);
    await Promise.all(stores.map((store) => store.close()));
  });

  it("leaves an empty database empty where the store has to exist, until one is created", async () => {
    const url = await makeDatabase();
    const open = () => openTestStore(url, { role: "command", existing: true });
    await assert.rejects(open(), { name: "StoreError", message: /^There is no store in the data/ });
    const found = await server.query("SELECT to_regclass('meta') AS meta", url);
    assert.deepEqual(found, [{ meta: null }]);
    await (await openTestStore(url, { role: "command" })).close();
    await (await open()).close();
  });

  it("refuses a schema that is newer", async () => {
    const url = await makeDatabase();
    await (await openTestStore(url, { role: "command" })).close();
    const newer = schemaVersion + 1;
    await server.query(`UPDATE meta SET value = ${newer} WHERE name = 'schema_version'`, url);
    await requireRefused(
      url,
      new RegExp(`schema version ${newer}, .* knows ${schemaVersion} at most`),
    );
  });

  it("refuses a database with tables of another program, and leaves it unchanged", async () => {
    const url = await makeDatabase();
    await server.query("CREATE SCHEMA public", url).catch(() => undefined);
    await server.query("CREATE TABLE invoice (id int)", url);
    await requireRefused(url, /contains tables of another program/);
    assert.deepEqual(
      await server.query("SELECT relname FROM pg_class WHERE relname = 'meta'", url),
      [],
    );
  });

  it("refuses an unreachable server, an unknown user, and a database that is not UTF-8", async () => {
    const url = await makeDatabase();
    await requireRefused(
      url.replace(/:\d+\//, ":1/"),
      /127\.0\.0\.1:1\/.* can't be opened: .*REFUSED.* Check the host and the port in DATABASE_URL/,
    );
    await requireRefused(urlOf(url, { user: "nobody_here" }), /nobody_here/);
    await requireRefused(urlOf(url, { database: "not_there" }), /not_there/);
    const latin = "sluice_test_latin";
    await server.query(`CREATE DATABASE ${latin} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    made.push(urlOf(url, { database: latin }));
    await requireRefused(urlOf(url, { database: latin }), /encoding LATIN1/);
  });

  it("works without prepared statements", async () => {
    const url = await makeDatabase();
    const connections = {
      poolMax: 2,
      prepare: false,
      statementTimeoutMs: 5_000,
      lockTimeoutMs: 1_000,
      startTimeoutMs: 0,
    };
    const store = await openTestStore(url, { role: "serve", connections });
    await store.write([transaction("a"), transaction("b")]);
    const prepared = await server.query(
      "SELECT count(*)::int AS count FROM pg_prepared_statements",
    );
    assert.deepEqual(prepared, [{ count: 0 }]);
    await store.requireConsistent();
    await store.close();
  });

  describe("with the role that the guide describes", () => {
    let url: string;
    before(async () => {
      const owned = await makeDatabase();
      await (await openTestStore(owned, { role: "command" })).close();
      await server.query(
        readServiceRole("sluice_service", new URL(owned).pathname.slice(1)),
        owned,
      );
      url = urlOf(owned, { user: "sluice_service", password });
    });
    after(async () => {
      await server.query("DROP OWNED BY sluice_service", url);
      await server.query("DROP ROLE sluice_service");
    });

    it("supports everything that the service does", async () => {
      const store = await openTestStore(url, { role: "serve", sealReceipt: makeTestSeal() });
      await store.createOrganization(organization(acme), operator);
      await store.changeOrganization(acme, { name: "New" }, operator);
      await store.createKey(newKey("key_1"), operator);
      await store.createToken(newToken("token"));
      await store.write(transaction("t"));
      await store.write(transaction("t"), { mode: "update" });
      await store.hold(keyOf("transaction", "t"));
      await store.release(keyOf("transaction", "t"));
      await store.request(keyOf("transaction", "t"));
      assert.equal((await store.processAll()).length, 1);
      await useAsConsole(store);
      await store.purgeExpired(operator.now);
      await store.requireConsistent();
      await store.close();
    });

    it("can't change the schema or the audit trail", async () => {
      const denied = /permission denied|must be owner/;
      for (const sql of [
        "CREATE TABLE extra (id int)",
        "ALTER TABLE record ADD COLUMN extra int",
        "DROP TABLE hold",
        "ALTER TABLE record DISABLE ROW LEVEL SECURITY",
        "UPDATE audit_entry SET actor = 'somebody else'",
        "DELETE FROM audit_entry",
        "UPDATE receipt SET document = ''",
        "UPDATE meta SET value = 0",
        "TRUNCATE change",
      ]) {
        await assert.rejects(queryAs(url, sql), denied, sql);
      }
    });

    it("is told which rights to grant if it lacks some", async () => {
      await server.query("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM sluice_service", url);
      await requireRefused(
        url,
        /: GRANT SELECT ON ALL TABLES IN SCHEMA public TO sluice_service;$/,
      );
      await server.query("GRANT SELECT ON meta, receipt_head TO sluice_service", url);
      await server.query("REVOKE ALL ON SEQUENCE arrival FROM sluice_service", url);
      const refused = await openTestStore(url, { role: "serve" }).catch((error: unknown) => error);
      assert.ok(refused instanceof StoreError, String(refused));
      const [, statements = ""] = / run: (.*)$/.exec(refused.message) ?? [];
      await server.query(statements, url);
      const store = await openTestStore(url, { role: "serve", sealReceipt: makeTestSeal() });
      await store.add("transaction", "granted");
      await store.close();
      const [, guide = ""] =
        /(GRANT SELECT.*)$/s.exec(readServiceRole("sluice_service", "x")) ?? [];
      assert.deepEqual(await readRights(url), await readRights(url, guide));
    });

    it("reports that the owner has to migrate the schema", async () => {
      await server.query("UPDATE meta SET value = 0 WHERE name = 'schema_version'", url);
      await requireRefused(url, /Run `npx sluice migrate` once with a role that owns the tables/);
      await server.query(`UPDATE meta SET value = ${schemaVersion}`, url);
    });
  });
});

/** What the role may do with each table, after these statements have granted it everything again. */
async function readRights(url: string, grants = ""): Promise<unknown> {
  if (grants !== "") {
    await server.query("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM sluice_service", url);
    await server.query(grants, url);
  }
  return server.query(
    `SELECT table_name, string_agg(privilege_type, ' ' ORDER BY privilege_type) AS rights
     FROM information_schema.table_privileges WHERE grantee = 'sluice_service'
     GROUP BY table_name ORDER BY table_name`,
    url,
  );
}

async function useAsConsole(store: TestStore): Promise<void> {
  const anna = { operatorId: "op_1", name: "anna", roles: ["viewer"], createdAt: 0 } as const;
  assert.equal(await store.operators.create({ ...anna, disabledAt: undefined }, operator), true);
  const link = { tokenHash: bytesOf("link"), purpose: "link", operatorId: "op_1" } as const;
  await store.operators.createLink({ ...link, expiresAt: operator.now + 1 }, operator);
  const times = { createdAt: operator.now, expiresAt: operator.now + 1 };
  const session = {
    sessionId: "ses_1",
    tokenHash: bytesOf("s"),
    method: "link",
    ...times,
  } as const;
  assert.ok(await store.operators.useLink(link.tokenHash, { session, act: operator }));
  assert.ok(await store.operators.disable("op_1", operator));
  for (const { fill, use } of storeSamples) {
    await fill?.(store, acme, { act: operator, types: ["person"] });
    await use(store, acme, operator);
  }
  const rule = { keepDays: 10, countedFrom: "last_seen", redactable: false } as const;
  await store.retention.setFloor(
    { organizationId: acme, resourceType: "screening", rule },
    operator,
  );
}
