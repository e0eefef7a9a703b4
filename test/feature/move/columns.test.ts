// The list of what a move copies matches the real tables of both engines, so that no new column is
// forgotten.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type MovedTable, movedTables } from "../../../src/feature/move/store/statements.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { makePlace } from "../../store/sqlite/place.ts";
import { openTestStore } from "../../support/test-store.ts";
import { storeParts } from "../../../src/feature/parts.ts";

/** By table: the declared type of each column. */
type Columns = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What each engine declares for a type of the list. */
const declared: Readonly<Record<"sqlite" | "postgres", Readonly<Record<string, string>>>> = {
  sqlite: { text: "TEXT", bigint: "INTEGER", bytea: "BLOB", boolean: "INTEGER" },
  postgres: { text: "text", bigint: "bigint", bytea: "bytea", boolean: "boolean" },
};

/** Tables and columns that are not copied row by row, and why. */
const notCopied: Readonly<Record<string, string>> = {
  meta: "each engine has its own schema version; the version of credentials is among the ends",
  counter: "its numbers are among the ends",
  receipt_head: "is among the ends",
  audit_head: "follows from the last entry of the trail, which is among the ends",
  restore: "has no row: a store that is being restored is not moved",
  replay_entry: "has no row, as restore",
  move: "is how far the move has come",
  operator_session: "people sign in again after a move",
  one_time_token: "is valid for minutes",
  party_block: "is made again from the records after the move",
  ...Object.fromEntries(
    storeParts.list
      .flatMap(({ tables, isDerived, state = [] }) => [isDerived === true ? tables : [], state])
      .flat()
      .map((table) => [table, "is made again from the records after the move"]),
  ),
  "record.record_no": "a number by which SQLite alone knows a record",
  "change.record_no": "PostgreSQL has the key of the record in its place",
  "deletion_target.record_no": "a number by which SQLite alone knows a record",
};

/** On SQLite a change names its record by a number, and gets these columns through it. */
const elsewhere: Readonly<Record<string, readonly string[]>> = {
  sqlite: ["change.organization_id", "change.resource_type", "change.resource_id"],
};

/** The differences, as sentences. */
function compare(
  engine: "sqlite" | "postgres",
  real: Columns,
  tables: readonly MovedTable[],
): readonly string[] {
  const listed = new Map(
    tables.flatMap(({ name, columns }) =>
      Array.from(columns, ([column, { type }]) => [`${name}.${column}`, type] as const),
    ),
  );
  const found = new Map(
    Object.entries(real).flatMap(([table, of]) =>
      Object.entries(of).map(([column, type]) => [`${table}.${column}`, { table, type }] as const),
    ),
  );
  const forgotten = [...found].flatMap(([name, { table, type }]) => {
    const wanted = listed.get(name);
    if (wanted === undefined) {
      return table in notCopied || name in notCopied ? [] : [`${name} is not moved`];
    }
    const fits = declared[engine][wanted] === type;
    return fits ? [] : [`${name} is ${type}, and moved as ${wanted}`];
  });
  const missing = [...listed.keys()]
    .filter((name) => !found.has(name) && elsewhere[engine]?.includes(name) !== true)
    .map((name) => `${name} does not exist`);
  return [...forgotten, ...missing];
}

const server = await usePostgres();

async function readPostgres(): Promise<Columns> {
  const url = await server.makeDatabase();
  await (await openTestStore(url, { role: "command" })).close();
  const rows = await server.query(
    `SELECT table_name, json_object_agg(column_name, data_type) AS columns
     FROM information_schema.columns WHERE table_schema = 'public' GROUP BY 1`,
    url,
  );
  await server.dropDatabase(url);
  return Object.fromEntries(
    rows.map(({ table_name: name, columns }) => [String(name), columns]),
  ) as Columns;
}

describe("the list of moved columns", () => {
  it("names every column of every table on SQLite, or says why not", async (test) => {
    const place = makePlace(test);
    await (await place.open({ role: "command" })).close();
    const real = place.withDatabase((database) => {
      const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
      const columnsOf = database.prepare("SELECT name, type FROM pragma_table_info(?)");
      return Object.fromEntries(
        tables.map(({ name: table }) => [
          String(table),
          Object.fromEntries(
            columnsOf.all(String(table)).map(({ name, type }) => [String(name), String(type)]),
          ),
        ]),
      );
    });
    assert.ok(Object.keys(real).length > 10);
    assert.deepEqual(compare("sqlite", real, movedTables(storeParts)), []);
  });

  it("names every column of every table on PostgreSQL, or says why not", async () => {
    const real = await readPostgres();
    assert.ok(Object.keys(real).length > 10);
    assert.deepEqual(compare("postgres", real, movedTables(storeParts)), []);
  });

  it("has keys with an index on PostgreSQL, ordered by bytes and never empty", async () => {
    const url = await server.makeDatabase();
    await (await openTestStore(url, { role: "command" })).close();
    const indexes = await server.query(
      `SELECT indrelid::regclass::text AS name, array_agg(attname::text ORDER BY place) AS key,
         bool_and(attnotnull AND coalesce(collname, 'C') = 'C') AS plain
       FROM pg_index, unnest(indkey) WITH ORDINALITY AS of (attnum, place),
         LATERAL (SELECT attname, attnotnull, collname FROM pg_attribute
           LEFT JOIN pg_collation ON pg_collation.oid = attcollation
           WHERE attrelid = indrelid AND pg_attribute.attnum = of.attnum) AS attribute
       WHERE indisunique AND indpred IS NULL AND indexprs IS NULL GROUP BY indexrelid, indrelid`,
      url,
    );
    await server.dropDatabase(url);
    for (const { name, key } of movedTables(storeParts)) {
      const found = indexes.filter((index) => index["name"] === name);
      assert.ok(
        found.some(
          ({ key: of, plain }) => plain === true && `${String(of)},`.startsWith(`${String(key)},`),
        ),
        `${name} has ${JSON.stringify(found)}`,
      );
    }
  });

  it("would be reported if it lacked a column or a table, or had one too many", async () => {
    const real = await readPostgres();
    const { hold = {}, ...rest } = real;
    const { reason: _, ...lacking } = hold;
    const changed = {
      ...rest,
      hold: { ...lacking, fresh: "text", placed_at: "text" },
      pet: { id: "text" },
    };
    assert.deepEqual(
      new Set(compare("postgres", changed, movedTables(storeParts))),
      new Set([
        "hold.fresh is not moved",
        "hold.placed_at is text, and moved as bigint",
        "pet.id is not moved",
        "hold.reason does not exist",
      ]),
    );
  });
});
