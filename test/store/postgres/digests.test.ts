// Digests of later changes on PostgreSQL: checked, and used without reading the other changes of the record, also by a
// plan that was made while the tables were empty.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { Client, escapeLiteral } from "pg";
import { comparedChanges, payloadDigest } from "../../../src/store/shared/payload-digest.ts";
import { beginStatements } from "../../../src/store/postgres/begin.ts";
import { defaultConnections } from "../../../src/store/interface/connection-settings.ts";
import { acme, transaction } from "../../conformance/scene.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { openTestStore, type TestStore } from "../../support/test-store.ts";

const append = { mode: "append" } as const;

const later = 500;

async function fill(store: TestStore): Promise<void> {
  const drafts = Array.from({ length: later + 1 }, (_, amount) => transaction("many", { amount }));
  await store.write(drafts, append);
  await store.write(transaction("one"));
  await store.write(transaction("two"));
  await store.write(transaction("two", { amount: 2 }), append);
}

/** `next`: an amount that no change has yet. */
async function requireFound(store: TestStore, next = later + 1): Promise<void> {
  const amounts = [0, 1, comparedChanges - 1, comparedChanges, later];
  for (const amount of amounts) {
    const draft = transaction("many", { amount });
    assert.deepEqual((await store.write(draft, append)).drafts, ["unchanged"], `${amount}`);
    assert.deepEqual((await store.write(draft)).drafts, ["identical_record_exists"]);
  }
  const other = transaction("many", { amount: next });
  assert.deepEqual((await store.write(other)).drafts, ["record_exists"]);
  const list = [...amounts.map((amount) => transaction("many", { amount })), transaction("one")];
  const answer = await store.write([...list, other], append);
  assert.deepEqual(answer.drafts, [...list.map(() => "unchanged"), "updated"]);
}

const server = await usePostgres();
const url = await server.makeDatabase();

describe("the digests of later changes on PostgreSQL", () => {
  it("are needed for all but the first changes", async () => {
    const store = await openTestStore(url, { role: "command" });
    await fill(store);
    await requireFound(store);
    await store.requireConsistent();
    // As after a move from an embedded store.
    await server.query(
      `UPDATE change SET digest = NULL WHERE resource_id = 'many' AND change_no IN (
         SELECT change_no FROM change WHERE resource_id = 'many'
         ORDER BY change_no LIMIT ${comparedChanges})`,
      url,
    );
    await requireFound(store, later + 2);
    await store.requireConsistent();
    await store.close();
  });

  it("are reported by the check if missing or wrong", async () => {
    const store = await openTestStore(url, { role: "command" });
    const where = `WHERE resource_id = 'many'
      AND change_no = (SELECT max(change_no) FROM change WHERE resource_id = 'many')`;
    await server.query(`UPDATE change SET digest = digest + 1 ${where}`, url);
    assert.deepEqual((await store.checkIntegrity()).findings, [
      "The digest of a change is not that of its payload: transaction many of org_acme.",
    ]);
    await server.query(`UPDATE change SET digest = NULL ${where}`, url);
    assert.deepEqual((await store.checkIntegrity()).findings, [
      `A change after the first ${comparedChanges} of its record has no digest: transaction many of org_acme.`,
    ]);
    await store.close();
  });

  it("lead to the changes without a scan of the others, whenever the statement was planned", async () => {
    const own = await server.makeDatabase();
    const client = new Client(own);
    try {
      const store = await openTestStore(own, { role: "command" });
      await client.connect();
      const begin = beginStatements(
        { organizations: [acme] },
        { settings: defaultConnections, distributed: false },
      );
      for (const sql of begin) await client.query(sql);
      await client.query(`PREPARE one AS ${findIdentical()}`);
      const ask = (amount: number) => explain(client, transaction("many", { amount }).payload);
      assert.equal((await ask(1)).found, 0);
      await client.query("COMMIT");
      await fill(store);
      for (const sql of begin) await client.query(sql);
      for (const [amount, found] of [
        [0, 1],
        [later, 1],
        [later + 1, 0],
      ] as const) {
        const answer = await ask(amount);
        assert.equal(answer.found, found);
        assert.ok(answer.read <= comparedChanges + 1, `${answer.read} changes were read`);
      }
      await client.query("COMMIT");
      await server.query("ANALYZE", own);
      for (const sql of begin) await client.query(sql);
      assert.ok((await ask(later + 1)).read <= comparedChanges + 1);
      await client.query("COMMIT");
      await store.close();
    } finally {
      await client.end();
      await server.dropDatabase(own);
    }
  });
});

function findIdentical(): string {
  const file = new URL("../../../src/store/postgres/commit/identical-changes.ts", import.meta.url);
  const sql = /const findIdentical = `([^`]*)`/.exec(readFileSync(file, "utf8"))?.[1];
  assert.ok(sql);
  return sql.replaceAll("${comparedChanges}", String(comparedChanges));
}

interface PlanNode {
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly PlanNode[];
}

/** How many answers there were, and how many rows of `change` were read for them. */
async function explain(
  client: Client,
  payload: string,
): Promise<{ readonly found: number; readonly read: number }> {
  const values = [acme, "transaction", "many", payloadDigest(payload), payload];
  const arrays = values.map((value) => `ARRAY[${escapeLiteral(String(value))}]`);
  arrays[3] += "::bigint[]";
  const { rows } = await client.query<{ "QUERY PLAN": readonly { readonly Plan: PlanNode }[] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE one (${arrays.join(", ")})`,
  );
  const plan = rows[0]?.["QUERY PLAN"][0]?.Plan;
  assert.ok(plan);
  return { found: plan["Actual Rows"], read: readOf(plan) };
}

function readOf(node: PlanNode): number {
  const rows = node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0);
  const own = node["Relation Name"] === "change" ? rows * node["Actual Loops"] : 0;
  return (node.Plans ?? []).reduce((sum, child) => sum + readOf(child), own);
}
