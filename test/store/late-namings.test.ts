// Transactions that arrive after the last pass of the scan, and before the deletion of a person is completed, are found
// by their arrival, on both engines.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { acme, draftOf, keyOf, worker } from "../conformance/scene.ts";
import { changedBy } from "../conformance/parties.ts";
import { startPostgres } from "../support/postgres/postgres-server.ts";
import { makePlace } from "./sqlite/place.ts";
import { openTestStore, type TestStore } from "../support/test-store.ts";

interface Scene {
  readonly store: TestStore;
  readonly query: (sql: string) => Promise<readonly object[]>;
}

const engines: Readonly<Record<string, (test: TestContext) => Promise<Scene>>> = {
  SQLite: async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    return { store, query: async (sql) => place.withDatabase((file) => file.prepare(sql).all()) };
  },
  PostgreSQL: async (test) => {
    const server = await startPostgres();
    const url = await server.makeDatabase();
    const store = await openTestStore(url, { role: "serve" });
    test.after(async () => {
      await store.close();
      await server.remove();
    });
    return { store, query: (sql) => server.query(sql, url) };
  },
};

const countries = { sender_country: "DE", receiver_country: "DE" };

describe("a transaction that names an erased person", () => {
  for (const [name, open] of Object.entries(engines)) {
    it(`is found after the last pass on ${name}`, async (test) => {
      const { store, query } = await open(test);
      await store.add("person", "p");
      await store.add("transaction", "old", { ...countries, sender_id: "q" });
      const id = await store.request(keyOf("person", "p"));
      await store.claim();
      while (!(await store.eraseOne(id, 10)));
      // As after a pass that has found nothing.
      const upTo = await store.latestArrival();
      await query(`INSERT INTO pseudonym (deletion_request_id, organization_id, pseudonym, verified_to)
        VALUES ('${id}', '${acme}', 'erased_${"0".repeat(32)}', ${upTo}) RETURNING verified_to`);
      await store.add("transaction", "new", { ...countries, sender_id: "q", receiver_id: "p" });
      const update = draftOf("transaction", "old", { ...countries, sender_id: "p" });
      await store.write(update, { mode: "update" });
      await store.add("transaction", "similar", { ...countries, sender_id: "pp" });
      assert.equal(await store.completeOne(id), undefined);
      const rows = await query("SELECT resource_id FROM deletion_target WHERE action = 'redact'");
      const targets = rows.map((row) => (row as { resource_id: string }).resource_id);
      assert.deepEqual(targets.sort(), ["new", "old"]);
      assert.equal(changedBy(await store.finish(id)), 2);
      const texts = await Promise.all(
        ["old", "new", "similar"].map((tx) => store.payloadsOf(keyOf("transaction", tx))),
      );
      assert.ok(!JSON.stringify(texts).includes('"p"'));
      assert.ok(JSON.stringify(texts).includes('"pp"'));
      assert.deepEqual(await query("SELECT * FROM pseudonym"), []);
    });
  }

  it("is searched for in steps where many have arrived, on SQLite", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await store.add("transaction", "t", countries);
    await store.add("person", "p");
    const keys = [keyOf("transaction", "t"), keyOf("person", "p")];
    const ids = await Promise.all(keys.map(async (key) => await store.request(key)));
    await store.claimDeletions({ now: worker.now, leaseUntil: worker.now, claimant: "c" }, 2);
    await store.eraseStep(ids, 10, worker);
    place.withDatabase((file) =>
      file.exec(`INSERT INTO pseudonym (deletion_request_id, organization_id, pseudonym, verified_to)
        VALUES ('${ids[1]}', '${acme}', 'erased_${"0".repeat(32)}', 0)`),
    );
    // More than two transactions of the writer search.
    for (let no = 0; no < 9; no += 1) {
      const drafts = Array.from({ length: 500 }, (_, index) =>
        draftOf("transaction", `t${no}-${index}`, { ...countries, sender_id: "q" }),
      );
      await store.write(drafts);
    }
    const outcomes = await store.completeDeletions(ids, worker);
    assert.deepEqual(
      outcomes.map(({ result }) => result),
      ["completed", "completed"],
    );
  });

  it("is not connected with its pseudonym by any byte of a file, on SQLite", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await store.add("person", "p");
    await store.add("transaction", "t", { ...countries, sender_id: "p" });
    const id = await store.request(keyOf("person", "p"));
    await store.claim();
    while (!(await store.eraseOne(id, 10)));
    assert.equal(await store.completeOne(id), undefined);
    const rows = place.withDatabase((file) =>
      file.prepare("SELECT pseudonym FROM pseudonym").all(),
    );
    const { pseudonym } = rows[0] as { pseudonym: string };
    // As the row is stored: its values one after another.
    const row = `${acme}${pseudonym}`;
    const found = () =>
      [...place.readFiles().values()].filter((bytes) => bytes.includes(row)).length;
    assert.ok(found() > 0, "nothing would be found");
    await store.finish(id);
    assert.equal(found(), 0);
    const [payload] = await store.payloadsOf(keyOf("transaction", "t"));
    assert.equal(payload?.["sender_id"], pseudonym);
  });
});
