// Makes the tables of a new store from schema.sql, and migrates the schema of an existing one to this version, one
// numbered migration after another, all in one transaction. Never touches a newer store, or a database that is not a
// store.

import { randomBytes } from "node:crypto";
import { baselineVersion, refuseSchema, versionIn } from "../../shared/schema-version.ts";
import { published } from "../../sql/migrations.ts";
import { schemaText } from "../../sql/schema-text.ts";
import { type Connection, hasTables, transaction } from "../connection.ts";

const readVersion = `SELECT value FROM meta WHERE name = 'schema_version'`;

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
