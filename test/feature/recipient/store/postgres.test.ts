// A recipient that is registered while a record is erased: one of the two waits for the other, so that whoever can read
// a record is told when it is erased.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { Client } from "pg";
import {
  acme,
  keyOf,
  operator,
  organization,
  transaction,
  worker,
} from "../../../conformance/scene.ts";
import { usePostgres } from "../../../support/postgres/postgres-server.ts";
import { openTestStore, type TestStore } from "../../../support/test-store.ts";
import { recipients } from "../../../../src/feature/recipient/store/part.ts";
import { waitFor } from "../../../support/wait-for.ts";

const postgres = await usePostgres();
const url = await postgres.makeDatabase();
/** What a transaction of a registration, and of an erasure, locks first. */
const key = `hashtextextended('sluice recipients of ${acme}', 0)`;
const registration = `SELECT pg_advisory_xact_lock(${key})`;
const erasure = `SELECT pg_advisory_xact_lock_shared(${key})`;
const waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";

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

  it("leave unacknowledged what a step tells while an acknowledgement waits for it", async () => {
    const recipient = { organizationId: acme, name: "r", types: ["transaction_check"] as const };
    await store.of(recipients).createRecipient(recipient, operator);
    for (const check of ["a", "b", "c"]) {
      await store.add("transaction_check", check, { related_tx_ids: ["raced"] });
    }
    const deletion = await claimed("raced");
    while ((await store.listInformed(deletion, acme)).length === 0)
      await store.eraseOne(deletion, 1);
    const { settled: changeNo } = await store.settledArrival();
    await other.query("BEGIN");
    await other.query("SELECT FROM deletion_recipient FOR UPDATE");
    const blocked = (count: number) =>
      awaitRows(other, `SELECT FROM pg_locks WHERE NOT granted OFFSET ${count - 1}`);
    const step = store.eraseOne(deletion, 10);
    await blocked(1);
    const acknowledged = store
      .of(recipients)
      .acknowledge({ ...recipient, changeNo, offset: "o", now: 5 });
    await blocked(2);
    await other.query("COMMIT");
    await step;
    await acknowledged;
    await store.finish(deletion);
    const [told] = await store.listInformed(deletion, acme);
    assert.deepEqual([told?.name, told?.acknowledgedAt], ["r", undefined]);
    await store.of(recipients).removeRecipient(recipient, operator);
  });

  it("tell a recipient that was registered before the step could go on", async () => {
    const deletion = await claimed("t1");
    await other.query("BEGIN");
    await other.query(registration);
    await other.query(
      `INSERT INTO recipient (organization_id, name, types, created_at, created_by, since_no)
       VALUES ($1, 'early', $2, 1, 'x', 0)`,
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
    const registering = store.of(recipients).createRecipient(wanted, operator);
    await awaitWaiting();
    await other.query("COMMIT");
    assert.equal((await registering).name, "late");
  });
});

describe("a recipient that very many deletions have informed", () => {
  const told = 2_500;
  const wanted = { organizationId: acme, name: "r", types: ["person"] as const };
  const last = `told_${told}`;
  let store: TestStore;
  let database: string;
  before(async () => {
    database = await postgres.makeDatabase();
    store = await openTestStore(database, { role: "serve" });
    await store.createOrganization(organization(acme), operator);
  });
  after(() => store.close());
  beforeEach(async () => {
    await store.of(recipients).createRecipient(wanted, operator);
    await postgres.query(
      `INSERT INTO deletion_recipient
         (deletion_request_id, name, resource_type, organization_id, last_no, told_at)
       SELECT 'told_' || number, 'r', 'person', '${acme}', number, 1
       FROM generate_series(1, ${told}) AS number`,
      database,
    );
  });
  afterEach(async () => {
    await store.of(recipients).removeRecipient(wanted, operator);
    await postgres.query("DELETE FROM deletion_recipient", database);
  });

  async function purge(): Promise<void> {
    for (let next: string | undefined = ""; next !== undefined;)
      next = (await store.of(recipients).purgeNotices({ before: 0, after: next }, worker)).next;
  }

  it("has acknowledged all of them after a pass of the purge", async () => {
    await store.of(recipients).acknowledge({ ...wanted, changeNo: told, offset: "", now: 2 });
    assert.equal((await store.listInformed(last, acme))[0]?.acknowledgedAt, undefined);
    await purge();
    const [one] = await store.listInformed(last, acme);
    assert.deepEqual([one?.acknowledgedAt, one?.removedAt], [worker.now, undefined]);
  });

  it("is noted as removed from all of them, even if another one has its name by then", async () => {
    await store.of(recipients).removeRecipient(wanted, operator);
    assert.equal((await store.listInformed(last, acme))[0]?.removedAt, undefined);
    await postgres.query(`SELECT setval('arrival', ${told})`, database);
    await store.of(recipients).createRecipient(wanted, operator);
    await store.of(recipients).acknowledge({ ...wanted, changeNo: told + 1, offset: "", now: 2 });
    await purge();
    const [one] = await store.listInformed(last, acme);
    assert.deepEqual([one?.acknowledgedAt, one?.removedAt], [undefined, worker.now]);
  });

  it("is noted as removed if the deletion informs another one of its name before the purge", async () => {
    await store.add("person", "p");
    const deletion = await store.request(keyOf("person", "p"));
    await store.claim();
    await postgres.query(
      `UPDATE deletion_recipient SET deletion_request_id = '${deletion}'
       WHERE deletion_request_id = '${last}'`,
      database,
    );
    await store.of(recipients).removeRecipient(wanted, operator);
    await postgres.query(`SELECT setval('arrival', ${told})`, database);
    await store.of(recipients).createRecipient(wanted, operator);
    await store.finish(deletion);
    await store.of(recipients).acknowledge({ ...wanted, changeNo: 2 * told, offset: "", now: 2 });
    await purge();
    const [one] = await store.listInformed(deletion, acme);
    assert.deepEqual([one?.acknowledgedAt, one?.removedAt], [undefined, worker.now]);
  });
});

describe("a registration while notices of erasures are purged", () => {
  it("loses no notice of what is erased from then on", async () => {
    const database = await postgres.makeDatabase();
    const store = await openTestStore(database, { role: "serve" });
    await store.createOrganization(organization(acme), operator);
    const passed = { organizationId: acme, name: "slow", types: ["person"] as const };
    await store.of(recipients).createRecipient(passed, operator);
    await store.of(recipients).acknowledge({ ...passed, changeNo: 1, offset: "", now: 2 });
    await postgres.query(
      `INSERT INTO deletion_recipient
         (deletion_request_id, name, resource_type, organization_id, last_no, told_at)
       VALUES ('del', 'slow', 'person', '${acme}', 1, 1)`,
      database,
    );
    const admin = new URL(postgres.adminUrl);
    admin.pathname = new URL(database).pathname;
    const other = new Client({ connectionString: admin.href });
    await other.connect();
    await other.query("BEGIN");
    await other.query("SELECT * FROM deletion_recipient FOR UPDATE");
    // It has read who the recipients are, and waits for the row of one of them.
    const purge = store.of(recipients).purgeNotices({ before: 0, after: "" }, worker);
    await awaitRows(other, "SELECT 1 FROM pg_locks WHERE NOT granted");
    let isTold = false;
    const telling = (async () => {
      const wanted = { organizationId: acme, name: "new", types: ["transaction"] as const };
      await store.of(recipients).createRecipient(wanted, operator);
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
