// Settings that somebody else has made for the role or the database: with each of them the store works as without, also
// where a statement waits for longer than they allow.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { Client } from "pg";
import type { AppError } from "../../../src/domain/error.ts";
import { defaultConnections } from "../../../src/store/interface/connection-settings.ts";
import { Database } from "../../../src/store/postgres/database.ts";
import { allOrganizations } from "../../../src/store/sql/statement/visibility.ts";
import { acme, keyOf, operator, organization, transaction } from "../../conformance/scene.ts";
import { urlOf, usePostgres } from "../../support/postgres/postgres-server.ts";
import { makeTestSeal } from "../../support/seal.ts";
import { openTestStore, type TestStore } from "../../support/test-store.ts";
import { waitFor } from "../../support/wait-for.ts";
import { storeParts as parts } from "../../../src/feature/parts.ts";

const server = await usePostgres();
const [described] = await server.query("SELECT current_setting('server_version_num')::int AS is");
const version = Number(described?.["is"]);

/** Longer than the time that these settings allow. */
const waited = "1300 ms";
const transactionTimeoutSince = 170_000;
const limits = [
  "statement_timeout = '1s'",
  "lock_timeout = '1s'",
  "idle_in_transaction_session_timeout = '1s'",
  ...(version < transactionTimeoutSince ? [] : ["transaction_timeout = '1s'"]),
];

const defaults = [
  "default_transaction_isolation = 'serializable'",
  "DateStyle = 'SQL, DMY'",
  "IntervalStyle = 'sql_standard'",
  "TimeZone = 'Asia/Kathmandu'",
  "standard_conforming_strings = off",
  "client_encoding = 'LATIN1'",
  "bytea_output = 'escape'",
  "array_nulls = off",
  "transform_null_equals = on",
  "row_security = off",
  "synchronous_commit = off",
];

/** For the sessions of the store, and not for those of the test. */
async function changeSetting(url: string, change: string): Promise<void> {
  const { username, pathname } = new URL(url);
  await server.query(`ALTER ROLE ${username} IN DATABASE ${pathname.slice(1)} ${change}`);
}

const findWaiting = `
  SELECT 1 AS found FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'sluice'
    AND (wait_event_type = 'Lock' AND clock_timestamp() - query_start > interval '${waited}'
      OR state = 'idle in transaction' AND clock_timestamp() - state_change > interval '${waited}')`;

/** Runs the work while something else has locks, until a session of it has waited. */
async function runDelayed<Result>(
  url: string,
  { lock }: { readonly lock: string },
  work: () => Promise<Result>,
): Promise<Result> {
  const database = new URL(url).pathname.slice(1);
  const holder = new Client({ connectionString: urlOf(server.adminUrl, { database }) });
  await holder.connect();
  try {
    await holder.query(`BEGIN; ${lock}`);
    let ended = false;
    const running = work().finally(() => (ended = true));
    running.catch(() => undefined);
    await waitFor("a session to have waited", async () => {
      return ended || (await server.query(findWaiting, url)).length > 0;
    });
    await holder.query("COMMIT");
    return await running;
  } finally {
    await holder.end();
  }
}

const lockMigration = "SELECT pg_advisory_xact_lock(7518242301)";
const lockTables = "LOCK TABLE record, change, deletion, audit_entry";
const text = "Łódź \\ \\n ' \" \u{1f600} NULL {}";

/** What takes long, or is waited for, as the service and its commands do it. */
async function useDelayed(url: string, store: TestStore): Promise<void> {
  const database = new Database(url, { ...defaultConnections, parts });
  database.serverVersion = version;
  const idle = () =>
    database.transaction(allOrganizations, async (tx) => {
      await tx.all("SELECT 1");
      await waitFor("being idle", async () => (await server.query(findWaiting, url)).length > 0);
      await tx.all("SELECT 2");
    });
  try {
    await runDelayed(url, { lock: lockTables }, () =>
      Promise.all([
        store.write(transaction("while")),
        store.request(keyOf("transaction", "stays")),
        store.changesOf(keyOf("transaction", "stays")),
        store.requireConsistent(),
        database.outsideTransaction("VACUUM record"),
        idle(),
      ]),
    );
    assert.ok(await store.exists(keyOf("transaction", "while")));
  } finally {
    await database.close();
  }
}

/** From the first write to the closing of the organization. */
async function useStore(store: TestStore, more?: () => Promise<void>): Promise<void> {
  await store.createOrganization(organization(acme), operator);
  const stays = transaction("stays", { description: text });
  await store.write([stays, transaction("goes")]);
  await more?.();
  const found = await store.changesOf(keyOf("transaction", "stays"));
  assert.deepEqual(
    found.map(({ payload }) => payload),
    [stays.payload],
  );
  await store.erase("transaction", "goes");
  await store.add("person", text);
  await store.write(transaction("names", { sender_id: text }));
  await store.erase("person", text);
  await store.purgeExpired(operator.now);
  await store.requireConsistent();
  await store.closeAll("del_all");
  await store.processAll();
  assert.equal(await store.exists(keyOf("transaction", "stays")), false);
  await store.purgeExpired(operator.now);
  await store.requireConsistent();
}

/** Two processes at once, which both find that the schema has to be migrated. */
async function openDelayed(url: string): Promise<TestStore> {
  const options = { role: "serve", sealReceipt: makeTestSeal() } as const;
  const [store, another] = await runDelayed(url, { lock: lockMigration }, () =>
    Promise.all([openTestStore(url, options), openTestStore(url, options)]),
  );
  await another.close();
  return store;
}

async function makeDatabase(test: TestContext): Promise<string> {
  const url = await server.makeDatabase();
  test.after(() => server.dropDatabase(url));
  return url;
}

describe("a setting that somebody else has made", () => {
  it("ends nothing that takes longer", async (test) => {
    const url = await makeDatabase(test);
    for (const limit of limits) await changeSetting(url, `SET ${limit}`);
    const store = await openDelayed(url);
    test.after(() => store.close());
    await useStore(store, () => useDelayed(url, store));
  });

  it("changes nothing of what is stored", async (test) => {
    const url = await makeDatabase(test);
    for (const setting of defaults) await changeSetting(url, `SET ${setting}`);
    const store = await openTestStore(url, { role: "serve", sealReceipt: makeTestSeal() });
    test.after(() => store.close());
    await useStore(store);
  });

  it("lets no commit be answered before it is on stable storage, and keeps a stricter one", async (test) => {
    const url = await makeDatabase(test);
    for (const [given, used] of [
      ["off", "on"],
      ["local", "local"],
      ["remote_apply", "remote_apply"],
    ] as const) {
      await changeSetting(url, `SET synchronous_commit = ${given}`);
      const database = new Database(url, { ...defaultConnections, parts });
      const found = await database.transaction(allOrganizations, (tx) =>
        tx.get<{ used: string }>("SELECT current_setting('synchronous_commit') AS used"),
      );
      await database.close();
      assert.equal(found?.used, used);
    }
  });

  for (const path of ["elsewhere, public", "missing"]) {
    it(`leads to no other tables: search_path = ${path}`, async (test) => {
      const url = await makeDatabase(test);
      await server.query(`CREATE SCHEMA elsewhere AUTHORIZATION ${new URL(url).username}`, url);
      const options = { role: "serve", sealReceipt: makeTestSeal() } as const;
      const before = await openTestStore(url, options);
      test.after(() => before.close());
      await before.add("transaction", "before");
      await changeSetting(url, `SET search_path = ${path}`);
      await server.query(endSessions, url);
      // A process that runs already makes new connections, and another one starts.
      assert.ok(await waitFor("new connections", () => findBefore(before)));
      const store = await openTestStore(url, options);
      test.after(() => store.close());
      assert.ok(await findBefore(store));
      await useStore(store);
      const elsewhere = await server.query(
        "SELECT count(*)::int AS tables FROM pg_class WHERE relnamespace = 'elsewhere'::regnamespace",
        url,
      );
      assert.deepEqual(elsewhere, [{ tables: 0 }]);
    });
  }
});

const endSessions = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'sluice'`;

/** The first statement after the sessions were ended may fail. */
async function findBefore(store: TestStore): Promise<boolean | undefined> {
  return store.exists(keyOf("transaction", "before")).catch((error: unknown) => {
    assert.equal((error as AppError).errorName, "unavailable", String(error));
    return undefined;
  });
}
