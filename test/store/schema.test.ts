// The schema of both engines: every table and every column has a comment.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { storeParts } from "../../src/feature/parts.ts";

/** The columns of each table, whether or not they have a comment: one on their line, or on the lines before it. */
function readColumns(schema: string): readonly { name: string; isExplained: boolean }[] {
  const found: { name: string; isExplained: boolean }[] = [];
  let table: string | undefined;
  let afterComment = false;
  for (const line of schema.split("\n").filter((text) => text.trim() !== "")) {
    const created = /^CREATE TABLE (\w+) \($/.exec(line)?.[1];
    const column = /^ {2}([a-z_]+) \S/.exec(line)?.[1];
    if (created !== undefined) found.push({ name: created, isExplained: afterComment });
    if (table !== undefined && column !== undefined) {
      found.push({ name: `${table}.${column}`, isExplained: afterComment || / -- \S/.test(line) });
    }
    if (line.startsWith(")")) table = undefined;
    table = created ?? table;
    // What becomes of a column does not say what it is.
    afterComment = /^\s*-- (?:erased|retained): /.test(line)
      ? afterComment
      : /^\s*-- \S/.test(line);
  }
  return found;
}

function unexplained(schema: string): readonly string[] {
  return readColumns(schema)
    .filter(({ isExplained }) => !isExplained)
    .map(({ name }) => name);
}

describe("the schema of a new store", () => {
  for (const engine of ["sqlite", "postgres"] as const) {
    it(`has a comment for every table and column on ${engine}`, () => {
      const schema = storeParts.schemaFor(engine);
      assert.deepEqual(unexplained(schema), []);
      const named = readColumns(schema).map(({ name }) => name.split("."));
      assert.ok(named.length > 200);
      const unknown = named.filter(([table = "", column]) => {
        const columns = storeParts.erasureMap[table];
        return columns === undefined || (column !== undefined && !(column in columns));
      });
      assert.deepEqual(unknown, [], "this test reads the schema wrongly");
    });
  }

  it("is read completely by this test", () => {
    const schema = storeParts.schemaFor("sqlite");
    const database = new DatabaseSync(":memory:");
    database.exec(schema);
    const columns = database
      .prepare(
        `SELECT schema.name || '.' || columns.name AS name
         FROM sqlite_schema AS schema, pragma_table_info(schema.name) AS columns
         WHERE schema.type = 'table'`,
      )
      .all()
      .map(({ name }) => String(name));
    const found = readColumns(schema).map(({ name }) => name);
    assert.deepEqual(found.filter((name) => name.includes(".")).sort(), columns.sort());
  });

  for (const { name, schema, tables, state = [] } of storeParts.list) {
    it(`has the tables of ${name} that a move copies and the erasure of an organization empties`, () => {
      const columns = readColumns(schema === undefined ? "" : readFileSync(schema, "utf8")).map(
        (one) => one.name,
      );
      assert.deepEqual(
        columns.filter((column) => !column.includes(".")),
        [...tables, ...[state].flat()],
      );
      for (const table of tables) assert.ok(columns.includes(`${table}.organization_id`), table);
    });
  }

  it("would be reported without one", () => {
    const schema =
      "CREATE TABLE one (\n  -- two lines\n  a TEXT,\n  b TEXT, -- second\n  c TEXT\n);";
    assert.deepEqual(unexplained(schema), ["one", "one.c"]);
    assert.deepEqual(unexplained(`-- about\n${schema}`), ["one.c"]);
    assert.deepEqual(unexplained(`-- about\n-- erased: with a\n${schema}`), ["one.c"]);
    assert.deepEqual(unexplained(`-- erased: with a\n${schema}`), ["one", "one.c"]);
  });
});
