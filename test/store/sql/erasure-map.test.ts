// The erasure map agrees with the real tables, and with what a deletion leaves in them.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { storeParts } from "../../../src/feature/parts.ts";
import type { Fate } from "../../../src/store/sql/store-parts.ts";
import { startPostgres } from "../../support/postgres/postgres-server.ts";
import { acme, keyOf, mark, transaction } from "../../conformance/scene.ts";
import { makePlace, type Place } from "../sqlite/place.ts";
import { openTestStore } from "../../support/test-store.ts";

const { erasureMap } = storeParts;

type Columns = Readonly<Record<string, readonly string[]>>;

/** The differences, as sentences. */
function compare(mapped: Columns, real: Columns): readonly string[] {
  const names = (columns: Columns) =>
    Object.entries(columns).flatMap(([table, of]) => of.map((column) => `${table}.${column}`));
  const inMap = new Set(names(mapped));
  const inTables = new Set(names(real));
  return [
    ...[...inTables.difference(inMap)].map((name) => `${name} has no fate`),
    ...[...inMap.difference(inTables)].map((name) => `${name} does not exist`),
  ];
}

const mapped: Columns = Object.fromEntries(
  Object.entries(erasureMap).map(([table, columns]) => [table, Object.keys(columns)]),
);

/** Columns that the other engine does not have. */
const onlyOn: Readonly<Record<"sqlite" | "postgres", readonly string[]>> = {
  sqlite: ["record.record_no", "change.record_no", "deletion_target.record_no"],
  postgres: [
    "change.organization_id",
    "change.resource_type",
    "change.resource_id",
    ...Object.keys(erasureMap["move"] ?? {}).map((column) => `move.${column}`),
  ],
};

/** Without the columns that only the other engine has. */
function mappedOn(engine: "sqlite" | "postgres"): Columns {
  const foreign = new Set(onlyOn[engine === "sqlite" ? "postgres" : "sqlite"]);
  return Object.fromEntries(
    Object.entries(mapped).map(([table, columns]) => [
      table,
      columns.filter((column) => !foreign.has(`${table}.${column}`)),
    ]),
  );
}

describe("the erasure map", () => {
  it("names every column of every table on SQLite, and no other", async (test) => {
    const place = makePlace(test);
    await (await place.open({ role: "command" })).close();
    const real = place.withDatabase((database) => {
      const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
      const columnsOf = database.prepare("SELECT name FROM pragma_table_info(?)");
      return Object.fromEntries(
        tables.map(({ name: table }) => [
          String(table),
          columnsOf.all(String(table)).map(({ name }) => String(name)),
        ]),
      );
    });
    assert.ok(Object.keys(real).length > 10);
    assert.deepEqual(compare(mappedOn("sqlite"), real), []);
  });

  it("names every column of every table on PostgreSQL, and no other", async (test) => {
    const server = await startPostgres();
    test.after(() => server.remove());
    const url = await server.makeDatabase();
    await (await openTestStore(url, { role: "command" })).close();
    const rows = await server.query(
      "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'",
      url,
    );
    const tables = Map.groupBy(rows, ({ table_name }) => String(table_name));
    const real = Object.fromEntries(
      [...tables].map(([table, of]) => [table, of.map(({ column_name: name }) => String(name))]),
    );
    assert.ok(Object.keys(real).length > 10);
    assert.deepEqual(compare(mappedOn("postgres"), real), []);
  });

  it("would be reported to lack a column, and to have one too many", () => {
    const real = { ...mapped, hold: ["reason", "new_column"], fresh: ["id"] };
    assert.deepEqual(compare(mapped, real).slice(0, 3), [
      "hold.new_column has no fate",
      "fresh.id has no fate",
      "hold.hold_id does not exist",
    ]);
  });

  it("says of each column either how it is erased or why it is retained", () => {
    for (const [table, columns] of Object.entries(erasureMap)) {
      for (const [column, fate] of Object.entries(columns)) {
        assert.ok(fate, `${table}.${column}`);
        assert.match(Object.values(fate).join(), /^[a-z].{20,}[a-z\d]$/);
      }
    }
    assert.ok("retained" in fateOf("deletion.reason"));
    assert.ok("erased" in fateOf("deletion.waiting_for"), "which has a comment of its own");
  });

  it("is true of the tables before, during and after a deletion", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    const record = keyOf("transaction", "canary-1");
    const sent = { sender_id: "canary-sender", sender_country: "DE" };
    await store.write(transaction("canary-1", sent), { idempotency: mark("canary-key") });
    await store.add("screening", "canary-2", { related_tx_id: "canary-1" });
    await store.add("transaction_alert", "alert", { related_tx_ids: ["canary-1", "other"] });
    await store.hold(record);
    const before = columnsWith(place, "canary");
    requireAboutRecords(before);
    for (const name of ["record.resource_id", "change.payload", "relation.to_id"]) {
      assert.ok(before.includes(name), name);
    }
    assert.ok(before.includes("hold.resource_id"));
    await store.release(record);
    await store.request(record);
    const claimed = await store.claim();
    const during = columnsWith(place, "canary");
    requireAboutRecords(during);
    assert.ok(during.includes("deletion_target.resource_id"));
    await store.finish(claimed?.deletionRequestId ?? "");
    assert.equal(await store.exists(keyOf("transaction_alert", "alert", acme)), true);
    const after = columnsWith(place, "canary");
    assert.ok(after.includes("deletion.resource_id"), "nothing would be found");
    const erased = after.filter((name) => "erased" in fateOf(name));
    assert.deepEqual(erased, []);
    requireAboutRecords(after);
  });
});

function fateOf(name: string): Fate {
  const [table = "", column = ""] = name.split(".");
  const fate = erasureMap[table]?.[column];
  assert.ok(fate, name);
  return fate;
}

function requireAboutRecords(names: readonly string[]): void {
  const wrong = names.filter((name) => {
    const [table = "", column = ""] = name.split(".");
    return storeParts.isAboutRecords(table, column) !== true;
  });
  assert.deepEqual(wrong, []);
}

/** The columns with a value that contains the word, in text or bytes. */
function columnsWith(place: Place, word: string): readonly string[] {
  return place.withDatabase((database) =>
    Object.keys(mappedOn("sqlite")).flatMap((table) => {
      if (table === "move") return [];
      const rows = database.prepare(`SELECT * FROM ${table}`).all();
      const found = rows.flatMap((row) =>
        Object.entries(row).filter(([, value]) => {
          const text = value instanceof Uint8Array ? Buffer.from(value) : String(value);
          return text.includes(word);
        }),
      );
      return [...new Set(found.map(([column]) => `${table}.${column}`))];
    }),
  );
}
