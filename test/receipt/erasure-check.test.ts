// The check for remains of erased data: what it finds on either engine, and the documented search
// of the pages of PostgreSQL.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { erasedTables } from "../../src/store/postgres/erase/vacuum.ts";
import { makeCommandLine } from "../cli/command-line.ts";
import { keyOf, transaction } from "../conformance/scene.ts";
import { makePlace } from "../store/sqlite/place.ts";
import { readSql } from "../support/guide-sql.ts";
import { usePostgres } from "../support/postgres/postgres-server.ts";
import { openTestStore, type TestStore } from "../support/test-store.ts";
import { storeParts } from "../../src/feature/parts.ts";

async function eraseOne(store: TestStore): Promise<void> {
  await store.add("transaction", "tx-erased");
  await store.add("transaction", "tx-stays");
  await store.request(keyOf("transaction", "tx-erased"), { deletionRequestId: "del_looked_at" });
  assert.equal((await store.processAll()).length, 1);
}

async function severe(store: TestStore): Promise<readonly string[]> {
  const { findings } = await store.checkErasure();
  return findings.filter((finding) => finding.severe).map(({ text }) => text);
}

describe("the check of erasures on SQLite", () => {
  it("finds nothing after a deletion", async (test) => {
    const store = await makePlace(test).open();
    await eraseOne(store);
    assert.deepEqual(await store.checkErasure(), { findings: [] });
  });

  it("finds a change that outlived the deletion of its record", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await eraseOne(store);
    await store.close();
    place.withDatabase((database) => {
      database.exec(`
        INSERT INTO record VALUES ('org_acme', 'transaction', 'tx-erased', 900, '2026', '2026');
        INSERT INTO change VALUES (900, 900, 1, NULL, '{}', NULL)`);
    });
    const again = await place.open();
    assert.deepEqual(await severe(again), [
      "Changes that del_looked_at should have erased are still stored.",
    ]);
  });

  it("accepts a record that was sent again under the same id", async (test) => {
    const store = await makePlace(test).open();
    await eraseOne(store);
    const receivedAt = Date.now();
    await store.write(transaction("tx-erased"), { receivedAt });
    assert.deepEqual(await severe(store), []);
  });

  it("is part of the command when it is requested", async () => {
    const line = makeCommandLine();
    await line.ask("migrate");
    const looked = { findings: [], notes: [] };
    assert.deepEqual(await line.ask("check --erasure"), {
      ok: true,
      findings: [],
      erasure: looked,
    });
    assert.deepEqual(await line.ask("check"), { ok: true, findings: [] });
  });
});

const postgres = await usePostgres({ settings: { autovacuum: "off" } });
const url = await postgres.makeDatabase();

/** The files in which the documented queries find dead rows, or the id. */
async function searchPages(id: string): Promise<readonly string[]> {
  const page = "reference/what-we-erase.md";
  const found: string[] = [];
  for (const words of ["AS dead_rows", "AS pages"]) {
    const statements = readSql(page, words).replaceAll("tx-81", id).split(";\n");
    for (const sql of statements.filter((text) => text.trim() !== "")) {
      const rows = await postgres.query(sql, url);
      found.push(...rows.map(({ file }) => String(file)));
    }
  }
  return found;
}

describe("the check of erasures on PostgreSQL", () => {
  let store: TestStore;

  before(async () => {
    store = await openTestStore(url, { role: "serve" });
    await eraseOne(store);
  });
  after(() => store.close());

  it("names the page that says how to search the server's files", async () => {
    assert.deepEqual(await severe(store), []);
    const { findings } = await store.checkErasure();
    assert.match(
      findings.map(({ text }) => text).join(),
      /were not searched\. .*what-we-erase\.md/,
    );
  });

  it("finds a change that outlived the deletion of its record", async () => {
    const back =
      "INSERT INTO change VALUES ('org_acme', 'transaction', 'tx-erased', 0, 1, NULL, '{}')";
    await postgres.query(back, url);
    assert.match((await severe(store)).join(), /del_looked_at should have erased/);
    await postgres.query("DELETE FROM change WHERE change_no = 0", url);
  });

  it("is completed by the documented search of pages, until these were rewritten", async () => {
    const query = readSql("reference/what-we-erase.md", "AS dead_rows");
    for (const table of erasedTables(storeParts)) assert.ok(query.includes(`'${table}'`), table);
    const found = await searchPages("tx-erased");
    for (const file of ["record", "change", "record_pkey"])
      assert.ok(found.includes(file), found.join());
    await postgres.query(`VACUUM FULL ${erasedTables(storeParts).join(", ")}`, url);
    assert.deepEqual(await searchPages("tx-erased"), []);
  });

  it("stores no value of a record for the planner", async () => {
    await postgres.query("ANALYZE", url);
    const rows = await postgres.query(
      "SELECT tablename, attname FROM pg_stats WHERE schemaname = 'public' AND pg_stats::text LIKE '%tx-stays%'",
      url,
    );
    assert.deepEqual(rows, []);
  });
});
