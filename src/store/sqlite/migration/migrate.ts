// Makes the tables of a new store from schema.sql, and migrates the schema of an existing one to this version, one
// numbered migration after another, all in one transaction. Never touches a newer store, or a database that is not a
// store.

import { randomBytes } from "node:crypto";
import { baselineVersion, refuseSchema, versionIn } from "../../shared/schema-version.ts";
import { published, readVersion } from "../../sql/migrations.ts";
import { schemaText } from "../../sql/schema-text.ts";
import { Connection, hasTables, transaction } from "../connection.ts";
import {
  compareSchemas,
  type SchemaDifference,
  type SchemaPart,
} from "../../shared/schema-parts.ts";
import type { StoreParts } from "../../sql/store-parts.ts";

const writeVersion = `
  INSERT INTO meta (name, value) VALUES ('schema_version', ?)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

/** Does nothing if the schema is current. If two processes start at once, the second finds it done. */
export function migrate(connection: Connection, migrations = published): void {
  const newest = baselineVersion + migrations.length;
  if (versionOf(connection) === newest) return;
  transaction(connection, () => {
    const version = versionOf(connection);
    refuseSchema(version, { newest, store: `The store ${connection.path}` });
    if (version === 0) createTables(connection);
    else {
      for (const statements of migrations.slice(version - baselineVersion)) {
        connection.exec(schemaText("sqlite", statements));
      }
    }
    connection.run(writeVersion, newest);
  });
}

/** Makes the tables. The key of the salts comes from a cryptographic generator, which SQLite does not have. */
function createTables(connection: Connection): void {
  connection.exec(connection.parts.schemaFor("sqlite"));
  connection.run("UPDATE receipt_head SET salt_key = ?", randomBytes(32).toString("hex"));
}

function versionOf(connection: Connection): number {
  if (!hasTables(connection)) return 0;
  const row = connection.get<{ value: number }>(readVersion);
  return versionIn(row, `The store ${connection.path}`);
}

const columnsOf = (list: string) => `
  (SELECT group_concat(name, ', ') FROM (SELECT name FROM ${list} ORDER BY seqno))`;

/** Without a CHECK constraint, which no pragma shows. */
const readParts = `
  WITH tables AS (
    SELECT name, wr, strict FROM pragma_table_list
    WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%')
  SELECT 'table ' || name AS name, name AS of,
    iif(wr, 'without', 'with') || ' row numbers and ' || iif(strict, 'strict', 'not strict') AS text
  FROM tables
  UNION ALL SELECT 'column ' || tables.name || '.' || one.name, tables.name,
    type || iif("notnull", ' NOT NULL', '') || coalesce(' DEFAULT ' || dflt_value, '')
    || iif(pk > 0, ', ' || pk || ' in the primary key', '')
  FROM tables, pragma_table_xinfo(tables.name) AS one
  UNION ALL SELECT 'unique constraint of ' || tables.name || ' (' || ${columnsOf("pragma_index_info(one.name)")} || ')',
    tables.name, 'valid'
  FROM tables, pragma_index_list(tables.name) AS one WHERE origin = 'u'
  UNION ALL SELECT 'foreign key of ' || tables.name || ' (' || "from" || ') to ' || "table", tables.name, 'valid'
  FROM tables, pragma_foreign_key_list(tables.name)
  UNION ALL SELECT type || ' ' || name, tbl_name, sql FROM sqlite_schema
  WHERE type IN ('index', 'trigger', 'view') AND sql IS NOT NULL`;

/** Kept: each store that is opened or checked is compared with it. */
const expected = new WeakMap<StoreParts, readonly SchemaPart[]>();

export function compareSchema(connection: Connection): SchemaDifference {
  const { parts } = connection;
  const wanted = expected.get(parts) ?? partsOfNew(parts);
  expected.set(parts, wanted);
  return compareSchemas(wanted, partsOf(connection));
}

function partsOfNew(parts: StoreParts): readonly SchemaPart[] {
  using model = new Connection(":memory:", { readOnly: false });
  model.exec(parts.schemaFor("sqlite"));
  return partsOf(model);
}

function partsOf(connection: Connection): readonly SchemaPart[] {
  const parts = connection.all<SchemaPart>(readParts);
  return parts.map((part) => ({ ...part, text: withoutComments(part.text) }));
}

/** SQLite keeps the text of an index as it was written. */
function withoutComments(text: string): string {
  return text
    .replaceAll(/--[^\n]*/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
