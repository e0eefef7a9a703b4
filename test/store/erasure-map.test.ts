// The erasure map and the real tables agree, in both directions.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { erasureMap, type Fate, onlyOn } from "../../src/store/erasure-map.ts";
import { openStore } from "../../src/store/open-store.ts";
import { startPostgres } from "../support/postgres/postgres-server.ts";
import { makePlace } from "./sqlite/place.ts";

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
    await (await openStore(url, { role: "command" })).close();
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

  it("describes each of them", () => {
    for (const columns of Object.values(erasureMap)) {
      for (const fate of Object.values<Fate>(columns)) {
        assert.ok(Object.values(fate).every((text) => text.length > 10));
      }
    }
  });
});
