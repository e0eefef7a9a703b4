// The check for remains of erased data: what it finds on either engine, what it reports when it has
// no permission, and how the service cleans up on PostgreSQL by itself.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { erasedTables } from "../../src/store/postgres/erase/vacuum.ts";
import type { ErasureReport } from "../../src/store/interface/check-report.ts";
import { makeCommandLine } from "../cli/command-line.ts";
import { keyOf, other, transaction } from "../conformance/scene.ts";
import { makePlace } from "../store/sqlite/place.ts";
import { usePostgres } from "../support/postgres/postgres-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { openTestStore, type TestStore } from "../support/test-store.ts";

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

async function checkAs(superuserUrl: string): Promise<ErasureReport> {
  const admin = new URL(superuserUrl);
  admin.pathname = new URL(url).pathname;
  const beside = await openTestStore(admin.href, { role: "command" });
  try {
    return await beside.checkErasure();
  } finally {
    await beside.close();
  }
}

async function checkAsSuperuser(): Promise<readonly string[]> {
  const { findings } = await checkAs(postgres.adminUrl);
  return findings.filter((finding) => finding.severe).map(({ text }) => text);
}

describe("the check of erasures on PostgreSQL", () => {
  let store: TestStore;

  before(async () => {
    store = await openTestStore(url, { role: "serve" });
    await eraseOne(store);
  });
  after(async () => {
    await store.close();
  });

  it("reports where its role has no permission", async () => {
    const { findings } = await store.checkErasure();
    assert.deepEqual(
      findings.map((finding) => finding.severe),
      [false],
    );
    assert.match(findings[0]?.text ?? "", /were not checked/);
  });

  it("finds the dead rows of a deletion, and the id in them", async () => {
    const found = (await checkAsSuperuser()).join("\n");
    assert.match(found, /^record: \d+ dead rows/m);
    assert.match(found, /^change: holds the ids of 1 completed deletions, such as "tx-erased"/m);
  });

  it("finds no dead row after upkeep has cleaned up", async () => {
    await store.purgeExpired(0);
    await waitFor("the dead rows to be gone", async () =>
      (await checkAsSuperuser()).some((text) => /^(record|change): \d+ dead/.test(text))
        ? undefined
        : true,
    );
  });

  it("finds whole ids, however short, and never one in a longer one", async () => {
    const [gone, longer] = ["PAYMENT-2024-000117", "PAYMENT-2024-0001170"];
    const erased = [gone, "1", "x"];
    const kept = [longer, `x${gone}`, "11", "xx", `/${gone}/`, `${gone}\u00e9`];
    for (const id of [...erased, ...kept]) await store.add("transaction", id);
    await store.write(transaction("1"), { organizationId: other });
    for (const id of erased) await store.request(keyOf("transaction", id));
    assert.equal((await store.processAll()).length, erased.length);
    const found = (await checkAsSuperuser()).join("\n");
    for (const name of ["record", "record_pkey (of record)", "change_pkey (of change)"]) {
      assert.ok(found.includes(`${name}: holds the ids of`), `${name}: ${found}`);
    }
    assert.match(found, /^record: holds the ids of [34] completed deletions/m);

    await postgres.query(`VACUUM FULL ${erasedTables.join(", ")}`, url);
    assert.deepEqual(await checkAsSuperuser(), []);
  });

  it("reports the ids for which it can't search unused bytes", async () => {
    const { findings } = await checkAs(postgres.adminUrl);
    assert.deepEqual(
      findings.map(({ text, severe: isSevere }) => [isSevere, text.slice(0, 63)]),
      [[false, "The ids of 1 completed deletions are shorter than 6 bytes. All "]],
    );
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
