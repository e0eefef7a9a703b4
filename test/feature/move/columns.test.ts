// The list of what a move copies matches the real tables of both engines, so that no new column is
// forgotten.

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { movedTables } from "../../../src/feature/move/store/statements.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { openTestStore } from "../../support/test-store.ts";
import { storeParts } from "../../../src/feature/parts.ts";

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
const elsewhere = ["change.organization_id", "change.resource_type", "change.resource_id"];

const server = await usePostgres();

async function withStore<Result>(read: (url: string) => Promise<Result>): Promise<Result> {
  const url = await server.makeDatabase();
  await (await openTestStore(url, { role: "command" })).close();
  try {
    return await read(url);
  } finally {
    await server.dropDatabase(url);
  }
}

const readers = {
  sqlite: async () => {
    using database = new DatabaseSync(":memory:");
    database.exec(storeParts.schemaFor("sqlite"));
    return database
      .prepare(
        `SELECT one.name AS of, info.name, info.type FROM sqlite_schema AS one, pragma_table_info(one.name) AS info
         WHERE one.type = 'table'`,
      )
      .all();
  },
  postgres: () =>
    withStore((url) =>
      server.query(
        `SELECT table_name AS of, column_name AS name, data_type AS type
         FROM information_schema.columns WHERE table_schema = 'public'`,
        url,
      ),
    ),
} as const;

/** What each engine declares for a type of the list. */
const declared: Readonly<Record<string, string>> = {
  text: "TEXT",
  bigint: "INTEGER",
  bytea: "BLOB",
  boolean: "INTEGER",
};

describe("the list of moved columns", () => {
  for (const engine of ["sqlite", "postgres"] as const) {
    it(`names every column of every table on ${engine}, or says why not`, async () => {
      const moved = new Map<string, string>(
        movedTables(storeParts).flatMap(({ name: table, columns }) =>
          Array.from(columns, ([column, { type }]) => [`${table}.${column}`, type] as const),
        ),
      );
      const forgotten: string[] = [];
      for (const { of, name, type } of await readers[engine]()) {
        const column = `${String(of)}.${String(name)}`;
        const wanted = moved.get(column);
        const own = engine === "sqlite" && wanted !== undefined ? declared[wanted] : wanted;
        moved.delete(column);
        if (own !== type && !(String(of) in notCopied) && !(column in notCopied))
          forgotten.push(`${column} is ${String(type)}, and moved as ${wanted ?? "nothing"}`);
      }
      assert.deepEqual(forgotten, []);
      assert.deepEqual([...moved.keys()], engine === "sqlite" ? elsewhere : []);
    });
  }

  it("has keys with an index on PostgreSQL, ordered by bytes and never empty", async () => {
    const indexes = await withStore((url) =>
      server.query(
        `SELECT indrelid::regclass::text AS name, array_agg(attname::text ORDER BY place) AS key,
         bool_and(attnotnull AND coalesce(collname, 'C') = 'C') AS plain
       FROM pg_index, unnest(indkey) WITH ORDINALITY AS of (attnum, place),
         LATERAL (SELECT attname, attnotnull, collname FROM pg_attribute
           LEFT JOIN pg_collation ON pg_collation.oid = attcollation
           WHERE attrelid = indrelid AND pg_attribute.attnum = of.attnum) AS attribute
       WHERE indisunique AND indpred IS NULL AND indexprs IS NULL GROUP BY indexrelid, indrelid`,
        url,
      ),
    );
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
});
