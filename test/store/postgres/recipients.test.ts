// A recipient that is registered while a record is erased: one of the two waits for the other, so that whoever can read
// a record is told when it is erased.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import {
  acme,
  keyOf,
  operator,
  organization,
  transaction,
  worker,
} from "../../conformance/scene.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { openTestStore, type TestStore } from "../../support/test-store.ts";
import { waitFor } from "../../support/wait-for.ts";

const postgres = await usePostgres();
const url = await postgres.makeDatabase();
/** What a transaction of a registration, and of an erasure, locks first. */
const registration = "SELECT pg_advisory_xact_lock(27, 66)";
const erasure = "SELECT pg_advisory_xact_lock_shared(27, 66)";
const waiting =
  "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = 27 AND objid = 66 AND NOT granted";

async function awaitRows(client: Client, query: string): Promise<void> {
  await waitFor("one to wait for the other", async () => {
    const { rows } = await client.query(query);
    return rows.length > 0 || undefined;
  });
}

describe("a registration and an erasure at once", () => {
  let store: TestStore;
  let other: Client;
  before(async () => {
    store = await openTestStore(url, { role: "serve" });
    await store.createOrganization(organization(acme), operator);
    // Whom row-level security does not concern.
    const admin = new URL(postgres.adminUrl);
    admin.pathname = new URL(url).pathname;
    other = new Client({ connectionString: admin.href });
    await other.connect();
  });
  after(async () => {
    await other.end();
    await store.close();
  });

  async function claimed(id: string): Promise<string> {
    await store.write(transaction(id));
    const deletion = await store.request(keyOf("transaction", id));
    await store.claim();
    return deletion;
  }

  const awaitWaiting = () => awaitRows(other, waiting);

  it("tell a recipient that was registered before the step could go on", async () => {
    const deletion = await claimed("t1");
    await other.query("BEGIN");
    await other.query(registration);
    await other.query(
      "INSERT INTO recipient (organization_id, name, types, created_at, since_no) VALUES ($1, 'early', $2, 1, 0)",
      [acme, JSON.stringify(["transaction"])],
    );
    const step = store.eraseStep([deletion], 10, worker);
    await awaitWaiting();
    await other.query("COMMIT");
    assert.equal((await step).notices, 1);
  });

  it("register one that reads nothing of what a step has begun to erase", async () => {
    await other.query("BEGIN");
    await other.query(erasure);
    const wanted = { organizationId: acme, name: "late", types: ["transaction"] as const };
    const registering = store.createRecipient(wanted, operator);
    await awaitWaiting();
    await other.query("COMMIT");
    assert.equal((await registering).result, "created");
  });
});

describe("a recipient that acknowledges very many deletions at once", () => {
  it("has acknowledged all of them after one pass of the purge", async () => {
    const database = await postgres.makeDatabase();
    const store = await openTestStore(database, { role: "serve" });
    await store.createOrganization(organization(acme), operator);
    const wanted = { organizationId: acme, name: "r", types: ["person"] as const };
    await store.createRecipient(wanted, operator);
    await postgres.query(
      `INSERT INTO deletion_recipient
         (deletion_request_id, name, resource_type, organization_id, last_no, told_at)
       SELECT 'del_' || number, 'r', 'person', '${acme}', number, 1
       FROM generate_series(1, 2500) AS number`,
      database,
    );
    const one = { organizationId: acme, name: "r", changeNo: 2_500, offset: "", now: 2 };
    await store.acknowledge(one);
    for (let after: string | undefined = ""; after !== undefined;)
      after = (await store.purgeNotices({ before: 0, after }, worker)).next;
    const [last] = await store.listTold("del_2500", acme);
    assert.equal(last?.acknowledgedAt, worker.now);
    await store.close();
  });
});

describe("a registration while notices of erasures are purged", () => {
  it("loses no notice of what is erased from then on", async () => {
    const database = await postgres.makeDatabase();
    const store = await openTestStore(database, { role: "serve" });
    await store.createOrganization(organization(acme), operator);
    const passed = { organizationId: acme, name: "slow", types: ["person"] as const };
    await store.createRecipient(passed, operator);
    await postgres.query(
      `INSERT INTO deletion_recipient
         (deletion_request_id, name, resource_type, organization_id, last_no, told_at)
       VALUES ('del', 'slow', 'person', '${acme}', 0, 1)`,
      database,
    );
    const admin = new URL(postgres.adminUrl);
    admin.pathname = new URL(database).pathname;
    const other = new Client({ connectionString: admin.href });
    await other.connect();
    await other.query("BEGIN");
    await other.query("SELECT * FROM deletion_recipient FOR UPDATE");
    // It has read who the recipients are, and waits for the row of one of them.
    const purge = store.purgeNotices({ before: 0, after: "" }, worker);
    await awaitRows(other, "SELECT 1 FROM pg_locks WHERE NOT granted");
    let isTold = false;
    const telling = (async () => {
      const wanted = { organizationId: acme, name: "new", types: ["transaction"] as const };
      await store.createRecipient(wanted, operator);
      await store.write(transaction("t"));
      await store.request(keyOf("transaction", "t"));
      await store.processAll();
      isTold = true;
    })();
    await waitFor("the registration to wait, or all of it", async () => {
      return isTold || (await other.query(waiting)).rows.length > 0 || undefined;
    });
    await other.query("COMMIT");
    await Promise.all([purge, telling]);
    const { settled: through } = await store.settledArrival();
    const range = { organizationId: acme, after: 0, through, limit: 9, content: false };
    const told = await store.arrivals.list({ ...range, types: ["transaction"] });
    assert.deepEqual(
      told.map(({ notice }) => notice?.kind),
      ["erased", "completed"],
    );
    await other.end();
    await store.close();
  });
});
