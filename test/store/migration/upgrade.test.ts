// Migrations, with planted ones: a store of version 1.0 is brought up with its rows, step by step and once; a new store
// is made without them; and stores of other versions are refused. The counter of arrival numbers after its table or
// sequence was left behind the numbers in the tables, as after an upgrade by logical replication: nobody gives a number
// again.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Client } from "pg";
import { defaultConnections } from "../../../src/store/interface/connection-settings.ts";
import { Database } from "../../../src/store/postgres/database.ts";
import { migrate as migratePostgres } from "../../../src/store/postgres/migration/migrate.ts";
import { baselineVersion } from "../../../src/store/shared/schema-version.ts";
import { published, schemaVersion } from "../../../src/store/sql/migrations.ts";
import { textFor } from "../../../src/store/sql/statement/statements.ts";
import { Connection, openWriter } from "../../../src/store/sqlite/connection.ts";
import { migrate } from "../../../src/store/sqlite/migration/migrate.ts";
import { acme, keyOf, operator, organization, transaction } from "../../conformance/scene.ts";
import { password, urlOf, usePostgres } from "../../support/postgres/postgres-server.ts";
import { makePlace } from "../sqlite/place.ts";
import { openTestStore, type TestStore } from "../../support/test-store.ts";
import { waitFor } from "../../support/wait-for.ts";
import { storeParts as parts } from "../../../src/feature/parts.ts";
import { readServiceRole } from "../../support/guide-sql.ts";
import { storeSamples } from "../../feature/samples.ts";

const addColumn = `
  ALTER TABLE hold ADD COLUMN planted
    --sqlite INTEGER
    --postgres bigint
    NOT NULL DEFAULT 7;`;

const addTable = `
  --sqlite CREATE TABLE planted (id INTEGER) STRICT;
  --postgres CREATE TABLE planted (id bigint);
  UPDATE record SET last_seen = first_seen || '';
  INSERT INTO planted VALUES (1);`;

const planted: readonly string[] = [...published, addColumn, addTable];

const asVersion1 = `
  DROP INDEX hold_restricted;
  --postgres DROP INDEX change_by_arrival;
  --postgres CREATE INDEX change_by_arrival ON change (organization_id, change_no);
  ALTER TABLE deletion DROP COLUMN requester;
  UPDATE meta SET value = ${baselineVersion} WHERE name = 'schema_version'`;

/** An operator requests one deletion, and a key the other. */
async function requestTwo(store: TestStore): Promise<readonly string[]> {
  await store.write(["one", "two"].map((id) => transaction(id)));
  const ids = [
    await store.request(keyOf("transaction", "one"), { actor: "anna", requestedBy: "operator" }),
    await store.request(keyOf("transaction", "two"), { actor: "key_1" }),
  ];
  await store.close();
  return ids;
}

async function requestersOf(store: TestStore, ids: readonly string[]) {
  const deletions = await Promise.all(ids.map((id) => store.deletionOf(id)));
  return deletions.map(({ requester }) => requester);
}

describe("a store of version 1.0 on SQLite", () => {
  it("is brought up by each migration once, and keeps its rows", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await store.write(transaction("one"));
    await store.close();
    for (const migrations of [planted.slice(0, -1), planted, planted]) {
      const connection = new Connection(place.path, { readOnly: false, parts });
      migrate(connection, migrations);
      const { value } = connection.get<{ value: number }>(
        "SELECT value FROM meta WHERE name = 'schema_version'",
      ) ?? { value: 0 };
      assert.equal(value, baselineVersion + migrations.length);
      connection.close();
    }
    const names = place.withDatabase((file) =>
      file.prepare("SELECT name FROM pragma_table_info('hold') WHERE name = 'planted'").all(),
    );
    assert.equal(names.length, 1);
    await assert.rejects(place.open(), /Use the version of Sluice that wrote it, or a newer one/);
    place.withDatabase((file) => {
      file.exec(
        `DROP TABLE planted; ALTER TABLE hold DROP COLUMN planted; UPDATE meta SET value = ${schemaVersion} WHERE name = 'schema_version'`,
      );
    });
    const again = await place.open();
    assert.deepEqual((await again.write(transaction("one"))).drafts, ["identical_record_exists"]);
    await again.requireConsistent();
  });

  it("gets who requested its deletions from its audit trail", async (test) => {
    const place = makePlace(test);
    const ids = await requestTwo(await place.open());
    place.withDatabase((file) => file.exec(textFor("sqlite", asVersion1)));
    const store = await place.open();
    assert.deepEqual(await requestersOf(store, ids), ["anna", undefined]);
  });

  it("stays as it was if a migration fails", async (test) => {
    const place = makePlace(test);
    await (await place.open()).close();
    const connection = new Connection(place.path, { readOnly: false, parts });
    assert.throws(() => migrate(connection, [...published, addColumn, "not SQL"]));
    connection.close();
    const names = place.withDatabase((file) =>
      file.prepare("SELECT name FROM pragma_table_info('hold') WHERE name = 'planted'").all(),
    );
    assert.deepEqual(names, []);
    await (await place.open()).ping();
  });

  it("is not made from one of a version that was never released", async (test) => {
    const place = makePlace(test);
    await (await place.open()).close();
    const setVersion = (version: number) =>
      place.withDatabase((file) => {
        file.exec(`UPDATE meta SET value = ${version} WHERE name = 'schema_version'`);
      });
    for (const version of [1, 126, baselineVersion - 1]) {
      setVersion(version);
      await assert.rejects(place.open(), (error: Error) => {
        const text = `schema version ${version}, of a version of Sluice`;
        assert.match(
          error.message,
          new RegExp(`${text}.* export .* with their history, .* import `),
        );
        assert.ok(error.message.includes(place.path));
        return true;
      });
    }
  });

  it("is made new without the migrations", (test) => {
    const connection = openWriter(makePlace(test).path, { parts });
    migrate(connection, [...published, "not SQL"]);
    migrate(connection, [...published, "not SQL"]);
    connection.close();
  });
});

const server = await usePostgres();

const waiting = `
  SELECT 1 FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'LOCK TABLE%'`;

describe("a store of version 1.0 on PostgreSQL", () => {
  it("is brought up by each migration once, and keeps its rows", async () => {
    const url = await server.makeDatabase();
    const store = await openTestStore(url, { role: "serve" });
    await store.write(transaction("one"));
    await store.close();
    const database = new Database(url, { ...defaultConnections, parts });
    for (const migrations of [planted.slice(0, -1), planted, planted]) {
      await migratePostgres(database, { migrations });
    }
    await database.close();
    const read = (sql: string) => server.query(sql, url);
    assert.deepEqual(await read("SELECT id::int AS id FROM planted"), [{ id: 1 }]);
    const version = "SELECT value::int AS value FROM meta WHERE name = 'schema_version'";
    assert.deepEqual(await read(version), [{ value: schemaVersion + 2 }]);
    await assert.rejects(openTestStore(url, { role: "command" }), /or a newer one/);
    await read(
      `DROP TABLE planted; ALTER TABLE hold DROP COLUMN planted; UPDATE meta SET value = ${schemaVersion} WHERE name = 'schema_version'`,
    );
    const again = await openTestStore(url, { role: "serve" });
    assert.deepEqual((await again.write(transaction("one"))).drafts, ["identical_record_exists"]);
    await again.requireConsistent();
    await again.close();
  });

  it("gets who requested its deletions from its audit trail", async () => {
    const url = await server.makeDatabase();
    const ids = await requestTwo(await openTestStore(url, { role: "serve" }));
    await server.query(textFor("postgres", asVersion1), url);
    const store = await openTestStore(url, { role: "serve" });
    assert.deepEqual(await requestersOf(store, ids), ["anna", undefined]);
    await store.close();
  });

  it("is brought up once nobody uses its tables; until then, its readers are answered", async (test) => {
    const url = await server.makeDatabase();
    const old = await openTestStore(url, { role: "serve" });
    await old.write(transaction("one"));
    const id = await old.request(keyOf("transaction", "one"), { actor: "anna" });
    await server.query(textFor("postgres", asVersion1), url);
    const session = new Client(url);
    await session.connect();
    await session.query("BEGIN; SELECT FROM deletion");
    const migrateWithin = (startTimeoutMs: number, onNotice?: (text: string) => void) => {
      const connections = { ...defaultConnections, startTimeoutMs };
      return openTestStore(url, { role: "command", connections, ...(onNotice && { onNotice }) });
    };
    const noticed = Promise.withResolvers<string>();
    const opened = migrateWithin(600_000, noticed.resolve);
    test.after(async () => {
      await session.end();
      await (await opened).close();
      await old.close();
    });
    await waitFor("the migration to wait", async () => (await server.query(waiting, url))[0]);
    assert.equal((await old.deletionOf(id)).status, "pending");
    assert.match(await noticed.promise, /^Waiting up to 600000 ms .*another session uses its/);
    const inUse = { name: "StoreError", isTemporary: true, message: /uses its tables.*xact_start/ };
    await assert.rejects(migrateWithin(0), inUse);
  });

  it("is not made from one of a version that was never released", async () => {
    const url = await server.makeDatabase();
    await (await openTestStore(url, { role: "command" })).close();
    await server.query("UPDATE meta SET value = 13 WHERE name = 'schema_version'", url);
    const refused = /schema version 13, of a version of Sluice that was never released/;
    await assert.rejects(openTestStore(url, { role: "command" }), refused);
  });
});

const spare = 1_000_000;

async function lastNumber(store: TestStore, id: string): Promise<number> {
  const changes = await store.changesOf(keyOf("transaction", id));
  return changes.at(-1)?.changeNo ?? 0;
}

async function fill(url: string): Promise<number> {
  const store = await openTestStore(url, { role: "serve" });
  await store.createOrganization(organization(acme), operator);
  for (const id of ["one", "two", "three"]) await store.add("transaction", id);
  const last = await lastNumber(store, "three");
  await store.close();
  return last;
}

const behind = (last: number) =>
  new RegExp(`counter of arrival numbers is at \\d+, but ${last} was`);

describe("the counter of arrival numbers", () => {
  it("is set above the numbers in the tables where the sequence was not replicated", async () => {
    const to = await server.makeDatabase();
    const last = await fill(to);
    // A subscription copies the rows of all tables, and nothing of a sequence.
    await server.query("SELECT setval('arrival', 1, false)", to);
    const checked = await openTestStore(to, { role: "command" });
    assert.match((await checked.checkIntegrity()).findings.join(), behind(last));
    await checked.close();

    const database = new URL(to).pathname.slice(1);
    await server.query(readServiceRole("sluice_later", database), to);
    const limited = urlOf(to, { user: "sluice_later", password });
    const error = await openTestStore(limited, { role: "serve" }).then(() => "", String);
    const [statement] = /SELECT setval\('arrival', \d+\);$/.exec(error) ?? [];
    assert.equal(statement, `SELECT setval('arrival', ${last + spare});`, error);

    const store = await openTestStore(to, { role: "serve" });
    await store.add("transaction", "later");
    assert.equal(await lastNumber(store, "later"), last + spare + 1);
    await store.requireConsistent();
    await store.close();
    await (await openTestStore(limited, { role: "serve" })).close();
  });

  it("is set before a replay gives numbers to what it erases again", async () => {
    const to = await server.makeDatabase();
    const last = await fill(to);
    await server.query("SELECT setval('arrival', 1, false)", to);
    const store = await openTestStore(to, { role: "replay" });
    await store.add("transaction", "later");
    assert.equal(await lastNumber(store, "later"), last + spare + 1);
    await store.close();
  });

  for (const [kept, sql] of Object.entries({
    ...(Object.assign({}, ...storeSamples.map(({ numbers }) => numbers)) as Record<string, string>),
    "the later change of a record": "UPDATE change SET change_no = 50 WHERE record_no = 3",
  })) {
    it(`is set above ${kept} on SQLite`, async (test) => {
      const place = makePlace(test);
      const url = `sqlite:${place.path}`;
      await fill(url);
      place.withDatabase((file) => file.exec(`${sql}; UPDATE counter SET value = 3`));
      const checked = await openTestStore(url, { role: "command" });
      assert.match((await checked.checkIntegrity()).findings.join(), behind(50));
      await checked.close();
      const store = await place.open();
      await store.write(transaction("later"));
      assert.equal(await lastNumber(store, "later"), 50 + spare + 1);
    });
  }
});
