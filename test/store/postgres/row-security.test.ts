// Row-level security: a statement without its organization sees nothing, on every table with an
// organization's data; and one that names another organization than its transaction does can't
// write.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { Client } from "pg";
import type { DeletionEntry } from "../../../src/domain/deletion/ledger-entry.ts";
import { distributedTables } from "../../../src/store/postgres/citus.ts";
import { securedTables } from "../../../src/store/postgres/migration/row-security.ts";
import {
  acme,
  keyOf,
  mark,
  newKey,
  newToken,
  operator,
  organization,
  other,
  transaction,
} from "../../conformance/scene.ts";
import { readServiceRole } from "../../support/guide-sql.ts";
import { password, urlOf, usePostgres } from "../../support/postgres/postgres-server.ts";
import { makeTestSeal } from "../../support/seal.ts";
import { storeSamples } from "../../feature/samples.ts";
import { openTestStore, type TestStore } from "../../support/test-store.ts";
import { storeParts } from "../../../src/feature/parts.ts";

const role = "sluice_secured";
const propagation = "citus.propagate_set_commands";

const server = await usePostgres();
const url = await server.makeDatabase();

describe("row-level security", async () => {
  /** Owners see all shards of a cluster; so there the service's own role is tested. */
  let citus = false;

  await fill();
  // The index of parties is built in blocks of more changes than there are here.
  const block = `INSERT INTO party_block (organization_id, bucket, block_no, entries) VALUES ('${acme}', 0, 0, '')`;
  await server.query(block, url);
  citus =
    (await server.query("SELECT 1 FROM pg_extension WHERE extname = 'citus'", url)).length > 0;
  if (citus) await server.query(readServiceRole(role, new URL(url).pathname.slice(1)), url);
  const client = new Client({
    connectionString: citus ? urlOf(url, { user: role, password }) : url,
  });
  await client.connect();
  after(async () => {
    await client.end();
    if (citus) await server.query(`DROP OWNED BY ${role}`, url);
    if (citus) await server.query(`DROP ROLE ${role}`, url);
  });

  /**
   * SET LOCAL, and the first setting, are for Citus, which passes them on to its workers; others
   * accept them as well.
   */
  async function begin(settings: Readonly<Record<string, string>>): Promise<void> {
    await client.query("BEGIN");
    for (const [name, value] of Object.entries({ [propagation]: "local", ...settings })) {
      await client.query(`SET LOCAL ${name} = ${client.escapeLiteral(value)}`);
    }
  }

  async function count(table: string, settings: Readonly<Record<string, string>>): Promise<number> {
    await begin(settings);
    const { rows } = await client.query<{ rows: number }>(
      `SELECT count(*)::int AS rows FROM ${table}`,
    );
    await client.query("ROLLBACK");
    return rows[0]?.rows ?? -1;
  }

  it("is on for every table with an organization's data, for owners too", async () => {
    const { rows } = await client.query<{ table: string; secured: boolean }>(
      `
      SELECT relname AS table,
        relrowsecurity AND (relforcerowsecurity OR ${citus} AND relname = ANY ($1)) AS secured
      FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'organization_id'
      WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY relname`,
      [Object.keys(distributedTables(storeParts))],
    );
    assert.deepEqual(
      rows.map(({ table }) => table),
      securedTables(storeParts).toSorted(),
    );
    assert.ok(rows.every(({ secured }) => secured));
  });

  for (const table of securedTables(storeParts)) {
    it(`hides ${table} from a statement without its organization`, async () => {
      assert.ok((await count(table, { "sluice.view": "all" })) > 0, "there is nothing to see");
      assert.equal(await count(table, {}), 0);
      assert.equal(await count(table, { "sluice.organizations": "org_unknown" }), 0);
    });
  }

  it("shows each organization only its own rows, and a group those of its organizations", async () => {
    assert.equal(await count("record", { "sluice.organizations": acme }), 7);
    assert.equal(await count("record", { "sluice.organizations": other }), 1);
    assert.equal(await count("record", { "sluice.organizations": `${acme},${other}` }), 8);
  });

  it("exposes no more to a view than it needs", async () => {
    const needed = {
      deletions: ["deletion", "pseudonym", "receipt"],
      credentials: ["organization", "api_key", "access_token"],
    };
    for (const [view, tables] of Object.entries(needed)) {
      const seen: string[] = [];
      for (const table of securedTables(storeParts)) {
        if ((await count(table, { "sluice.view": view })) > 0) seen.push(table);
      }
      assert.deepEqual(seen, tables, view);
    }
  });

  it("rejects rows of an organization that the transaction does not name", async () => {
    await begin({ "sluice.organizations": acme });
    await assert.rejects(
      client.query(
        `INSERT INTO record (organization_id, resource_type, resource_id, first_seen, last_seen)
         VALUES ('${other}', 'transaction', 'smuggled', '', '')`,
      ),
      /row-level security/,
    );
    await client.query("ROLLBACK");
  });

  it("changes and removes nothing when the organization is missing", async () => {
    assert.equal((await client.query("DELETE FROM change")).rowCount, 0);
    assert.equal((await client.query("UPDATE record SET last_seen = ''")).rowCount, 0);
  });
});

function entryOf(deletionRequestId: string): DeletionEntry {
  const record = { organizationId: acme, resourceType: "transaction", resourceId: "t" } as const;
  return { kind: "deletion", deletionRequestId, ...record, requestedBy: "key_1", requestedAt: 1 };
}

/** A report that stays, and has to be kept, refers to a person who is erased. */
async function keepReference(store: TestStore): Promise<void> {
  const rule = { keepDays: 36_500, countedFrom: "last_seen", redactable: false } as const;
  await store.retention.setFloor(
    { organizationId: acme, resourceType: "customer_sar", rule },
    operator,
  );
  for (const type of ["person", "company"]) await store.add(type, "of report");
  const related = { related_person_id: "of report", related_company_id: "of report" };
  await store.add("customer_sar", "report", related);
  await store.request(keyOf("person", "of report"));
  assert.equal((await store.processAll()).length, 1);
}

/** Erases a person, and leaves its id in transactions, next to its pseudonym. */
async function beginParty(store: TestStore, person: string): Promise<void> {
  await store.add("person", person);
  const id = await store.request(keyOf("person", person));
  await store.claim();
  while (!(await store.eraseOne(id, 10)));
  assert.equal(await store.completeOne(id), undefined);
}

/** At least one row in every table. */
async function fill(): Promise<void> {
  const store = await openTestStore(url, { role: "command", sealReceipt: makeTestSeal() });
  await store.createOrganization(organization(acme), operator);
  await store.createKey(newKey("key_1"), operator);
  await store.createToken(newToken("token"));
  await store.write(transaction("t"), { idempotency: mark("key") });
  await store.write(transaction("t"), { organizationId: other });
  await store.add("transaction_check", "c", { related_tx_ids: ["t"] });
  await store.request(keyOf("transaction", "t"));
  await store.hold(keyOf("transaction_check", "c"));
  await store.release(keyOf("transaction_check", "c"));
  for (const sample of storeSamples)
    await sample.fill?.(store, acme, { act: operator, types: ["person"] });
  await store.add("person", "goes");
  await store.request(keyOf("person", "goes"), { dueAt: 0 });
  assert.equal((await store.processAll()).length, 2);
  await keepReference(store);
  for (const { derive } of storeSamples) await derive?.(store);
  await store.add("transaction", "t");
  await store.add("transaction_check", "c", { related_tx_ids: ["t"] });
  await store.write(transaction("u"), { idempotency: mark("another key") });
  await store.request(keyOf("transaction", "t"));
  await store.claim();
  await beginParty(store, String(transaction("u").payload.match(/"sender_id":"(.*?)"/)?.[1]));
  await store.hold(keyOf("transaction", "t", other));
  const rule = { keepDays: 10, countedFrom: "last_seen", redactable: false } as const;
  const floor = { organizationId: acme, resourceType: "screening", rule };
  assert.deepEqual(await store.retention.setFloor(floor, operator), { result: "changed" });
  await store.changeOrganization(acme, { deletionApproval: true }, operator);
  const proposing = { ...operator, proposalId: "prp_1" };
  await store.changeOrganization(acme, { deletionApproval: false }, proposing);
  await store.replay.beginReplay({ known: undefined, sources: [], backup: undefined }, operator);
  await store.replay.queueReplay([entryOf("del_later")]);
  await store.close();
}
