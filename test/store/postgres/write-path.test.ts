// The cost of the write path on the server: statements, counted by the server itself, and round
// trips of a group.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { setImmediate as endOfTick } from "node:timers/promises";
import { Client } from "pg";
import { limits } from "../../../src/domain/limits.ts";
import { acme, draftOf, keyOf, mark, transaction } from "../../conformance/scene.ts";
import { urlOf, usePostgres } from "../../support/postgres/postgres-server.ts";
import { openTestStore } from "../../support/test-store.ts";

const clients = 64;
const statementsPerRecordMax = 0.2;

const server = await usePostgres({
  own: true,
  settings: { shared_preload_libraries: "pg_stat_statements" },
});

describe("the write path on PostgreSQL", async () => {
  await server.query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
  const url = await server.makeDatabase();
  const store = await openTestStore(url, { role: "serve" });
  after(async () => {
    await store.close();
    await server.dropDatabase(url);
  });

  /**
   * Statements for each of the records that the clients write sequentially, each waiting for its
   * reply.
   */
  async function count(send: (id: string) => Promise<unknown>): Promise<number> {
    const name = new URL(url).pathname.slice(1);
    const each = 12;
    await server.query("SELECT pg_stat_statements_reset()");
    await Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        for (let sent = 0; sent < each; sent += 1) await send(`${client}/${sent}`);
      }),
    );
    const [row] = await server.query(
      `SELECT sum(calls)::float8 AS calls FROM pg_stat_statements
       JOIN pg_database ON pg_database.oid = dbid WHERE datname = '${name}'`,
    );
    return Number(row?.["calls"]) / (clients * each);
  }

  /** Of more rows than two statements may have: one statement of all would show in its average. */
  async function requireBoundedStatements(): Promise<void> {
    const [largest] = await server.query(
      `SELECT query, rows::float8 / calls AS rows FROM pg_stat_statements
       JOIN pg_database ON pg_database.oid = dbid
       WHERE datname = '${new URL(url).pathname.slice(1)}' ORDER BY 2 DESC LIMIT 1`,
    );
    const rows = Number(largest?.["rows"]);
    assert.ok(rows > 250 && rows <= 500, `${rows} rows: ${String(largest?.["query"])}`);
  }

  it(`keeps statements for a single addition below ${statementsPerRecordMax}`, async () => {
    const statements = await count((id) => store.write(transaction(`a${id}`)));
    assert.ok(statements < statementsPerRecordMax, `${statements} statements for a record`);
    assert.ok(statements > 6 / (2 * clients), `${statements} can't be right`);
  });

  it("keeps them low for additions with Idempotency-Keys, updates and checks too", async () => {
    const marked = await count((id) =>
      store.write(transaction(`m${id}`), { idempotency: mark(id) }),
    );
    const updates = await count((id) => store.write(transaction(`a${id}`), { mode: "update" }));
    const looks = await count((id) => store.findRecord(keyOf("transaction", `a${id}`)));
    for (const statements of [marked, updates, looks]) {
      assert.ok(statements < 2 * statementsPerRecordMax, `${statements} statements for a record`);
    }
    await store.requireConsistent();
  });

  it("plans, erases and verifies a cascade with statements of at most 500 rows", async () => {
    const checksMade = 1_300;
    await store.add("transaction", "root");
    const checks = Array.from({ length: checksMade }, (_, index) =>
      draftOf("transaction_check", `check ${index}`, { related_tx_ids: ["root"] }),
    );
    await store.write(checks, { resourceType: "transaction_check" });
    const id = await store.request(keyOf("transaction", "root"));
    await server.query("SELECT pg_stat_statements_reset()");
    assert.equal((await store.claim())?.deletionRequestId, id);
    const { erased } = await store.finish(id, 100);
    assert.deepEqual(erased, { transaction: 1, transaction_check: checksMade });
    await requireBoundedStatements();
  });

  it("stores a list that is longer than a group in one transaction, with statements of at most 500 rows", async () => {
    const drafts = Array.from({ length: limits.groupRowsMax + 300 }, (_, index) =>
      draftOf("transaction", `long ${index}`, { amount: index }),
    );
    for (const mode of ["add", "update"] as const) {
      await server.query("SELECT pg_stat_statements_reset()");
      assert.equal((await store.write(drafts, { mode })).written, drafts.length);
      await requireBoundedStatements();
      const [commits] = await server.query(
        "SELECT calls::int FROM pg_stat_statements WHERE query = 'COMMIT'",
      );
      assert.deepEqual(commits, { calls: 1 });
    }
    await store.requireConsistent();
  });

  it("refuses a new record under an id whose deletion is open", async () => {
    const check = keyOf("transaction_check", "erased before");
    await store.add("transaction", "root of it");
    await store.add("transaction_check", check.resourceId, { related_tx_ids: ["root of it"] });
    await store.request(check, { dueAt: Number.MAX_SAFE_INTEGER });
    await store.erase("transaction", "root of it");
    assert.equal(await store.findRecord(check), undefined);
    // A process that has met no record that exists writes groups as if all were new.
    const another = await openTestStore(url, { role: "command" });
    const drafts = ["beside", check.resourceId].map((id) => draftOf("transaction_check", id));
    const outcome = await another.write(drafts, {
      resourceType: "transaction_check",
      lenient: true,
    });
    await another.close();
    assert.deepEqual(outcome.drafts, ["created", "deletion_open"]);
  });

  function sendList(list: string, amount: number) {
    const ids = [`held ${list}`, ...Array.from({ length: 500 }, (_, row) => `${list} ${row}`)];
    const drafts = ids.map((id) => transaction(id, { amount }));
    return store.write(drafts, { mode: "append", lenient: true });
  }

  /**
   * Sends a large list that has to wait for a transaction of somebody else, and then another, which only waits if it
   * has the same records. Returns their outcomes, and how many transactions waited.
   */
  async function sendBeside(name: string, next: string) {
    const client = new Client({ connectionString: urlOf(url, { user: "postgres" }) });
    await client.connect();
    await client.query(
      `BEGIN; INSERT INTO record VALUES ('${acme}', 'transaction', 'held ${name}', '2026', '2026')`,
    );
    const first = sendList(name, 1);
    // A group of its own begins.
    await endOfTick();
    await endOfTick();
    const second = sendList(next, 2);
    if (next !== name) await second;
    let waiting = 0;
    // Long enough for it to be stored if nothing stops it.
    for (let look = 0; look < 20 || waiting === 0; look += 1) {
      await store.findRecord(keyOf("transaction", name));
      const { rows } = await client.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_locks
         WHERE NOT granted AND transactionid = pg_current_xact_id()::xid`,
      );
      waiting = rows[0]?.count ?? 0;
    }
    await client.query("ROLLBACK");
    await client.end();
    const outcomes = await Promise.all([first, second]);
    const drafts = [...new Set(outcomes.flatMap((outcome) => outcome.drafts))];
    return { drafts, waiting };
  }

  it("commits a large group beside another one, but after it if they have a record in common", async () => {
    assert.deepEqual(await sendBeside("one", "other"), { drafts: ["created"], waiting: 1 });
    assert.deepEqual(await sendBeside("same", "same"), {
      drafts: ["created", "updated"],
      waiting: 1,
    });
    await store.requireConsistent();
  });

  it("shares all statements between requests for deletions", async () => {
    const statements = await count((id) => store.request(keyOf("transaction", `a${id}`)));
    assert.ok(statements < statementsPerRecordMax, `${statements} statements for a request`);
    assert.ok(statements > 0, `${statements} can't be right`);
    await store.requireConsistent();
  });

  it("does not let a write of one organization wait for a request of another", async () => {
    await store.add("transaction", "asked for");
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query("BEGIN; SELECT FROM audit_head FOR UPDATE");
    const requested = store.request(keyOf("transaction", "asked for"));
    // Of the same organization: it waits, and finds the deletion.
    const late = store.write(transaction("asked for", { amount: 7 }), { mode: "update" });
    const organizationId = "another";
    const { drafts } = await store.write(transaction("asked for"), { organizationId });
    assert.deepEqual(drafts, ["created"]);
    await client.query("ROLLBACK");
    await client.end();
    assert.ok((await requested) !== undefined);
    assert.deepEqual((await late).drafts, ["deletion_open"]);
  });
});
