// The planner's statistics contain no id of a record and nothing of its content.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { storeParts } from "../../../../src/feature/parts.ts";
import { mayBeSampled } from "../../../../src/store/postgres/migration/statistics.ts";
import {
  acme,
  keyOf,
  mark,
  operator,
  organization,
  transaction,
} from "../../../conformance/scene.ts";
import { usePostgres } from "../../../support/postgres/postgres-server.ts";
import { makeTestSeal } from "../../../support/seal.ts";
import { openTestStore, type TestStore } from "../../../support/test-store.ts";

/** In every id, and in every text that can contain content. */
const canary = "canary";
/** Enough of each for ANALYZE to store a sample. */
const records = 12;

async function fill(store: TestStore): Promise<void> {
  await store.createOrganization(organization(acme), operator);
  for (let index = 0; index < records; index += 1) {
    const id = `${canary}-${index}`;
    const idempotency = mark(`${canary}${index}`);
    await store.write(transaction(id, { sender_id: canary }), { idempotency });
    await store.add("transaction_check", id, { related_tx_ids: [id] });
    await store.add("person", id);
    const hold = {
      holdId: `hold_${index}`,
      reason: canary,
      owner: canary,
      reviewOn: undefined,
      endsOn: undefined,
    };
    await store.holds.place({ ...hold, ...keyOf("person", id) }, operator);
    await store.request(keyOf("person", id), { reason: `${canary} ${index}` });
    if (index % 2 === 0) await store.request(keyOf("transaction", id), { reason: canary });
  }
  assert.equal((await store.processAll()).length, records / 2);
}

const server = await usePostgres();
const url = await server.makeDatabase();

/** As the superuser, for whom row-level security hides no statistics. */
async function findCanaries(): Promise<readonly string[]> {
  await server.query("ANALYZE", url);
  const rows = await server.query(
    `SELECT tablename || '.' || attname AS name FROM pg_stats AS one
     WHERE schemaname = 'public' AND one::text ILIKE '%${canary}%' ORDER BY 1`,
    url,
  );
  return rows.map(({ name }) => String(name));
}

async function readColumns(): Promise<readonly { name: string; sampled: boolean }[]> {
  const rows = await server.query(
    `SELECT relname || '.' || attname AS name, attstattarget IS DISTINCT FROM 0 AS sampled
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped`,
    url,
  );
  return rows as unknown as readonly { name: string; sampled: boolean }[];
}

describe("the planner's statistics", () => {
  before(async () => {
    const store = await openTestStore(url, { role: "serve", sealReceipt: makeTestSeal() });
    await fill(store);
    await store.close();
  });

  it("are kept of exactly the columns that the erasure map and the list of sampled columns allow", async () => {
    const allowed = Object.entries(storeParts.erasureMap).flatMap(([table, columns]) =>
      Object.keys(columns)
        .filter((column) => mayBeSampled(storeParts, { table, column }) === true)
        .map((column) => `${table}.${column}`),
    );
    const sampled = (await readColumns()).filter((column) => column.sampled);
    assert.deepEqual(sampled.map(({ name }) => name).sort(), allowed.sort());
    for (const name of ["resource_id", "reason", "waiting_for", "claimant"]) {
      assert.equal(storeParts.isAboutRecords("deletion", name), true);
      assert.equal(mayBeSampled(storeParts, { table: "deletion", column: name }), false, name);
    }
  });

  it("contain no id and no content, though the tables do", async () => {
    assert.deepEqual(await findCanaries(), []);
  });
});
