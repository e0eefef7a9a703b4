// Makes the tables of a new store from schema.sql, and brings the schema of an existing one up to this version, one numbered
// migration after another, all in one transaction. Never touches a store that is newer, or a database that is not a store.

import { randomBytes } from "node:crypto";
import { baselineVersion, refuseSchema } from "../../shared/schema-version.ts";
import { schemaFor } from "../../sql/schema.ts";
import { type Connection, hasTables, transaction } from "../connection.ts";

/** Statements, or a function if rows have to be computed. */
export type Migration = string | ((connection: Connection) => void);

/** What is due, by the organizations that take turns. */
const addTurns = `
  CREATE INDEX deletion_in_turn
    ON deletion (coalesce(restricted_of, organization_id), coalesce(next_attempt_at, due_at), deletion_request_id)
    WHERE status = 'pending'`;

/** Deletions of types that only operators and the retention ceiling request, of which the figures leave out confidential ones. */
const addOthers = `
  CREATE INDEX deletion_of_others
    ON deletion (organization_id, resource_type, status, floor_until)
    WHERE resource_type NOT IN ('transaction', 'person', 'company')`;

/** In order. A migration that was published is never edited; the next change is the next one. */
export const published: readonly Migration[] = [addTurns, addOthers];

export const schemaVersion = baselineVersion + published.length;

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
    const done = Math.max(version - baselineVersion, 0);
    for (const migration of migrations.slice(done)) {
      if (typeof migration === "string") connection.exec(migration);
      else migration(connection);
    }
    connection.run(writeVersion, newest);
  });
}

/** Makes the tables. The key of the salts comes from a cryptographic generator, which SQLite does not have. */
function createTables(connection: Connection): void {
  connection.exec(schemaFor("sqlite"));
  connection.run("UPDATE receipt_head SET salt_key = ?", randomBytes(32).toString("hex"));
}

function versionOf(connection: Connection): number {
  if (!hasTables(connection)) return 0;
  return connection.get<{ value: number }>(readVersion)?.value ?? 0;
}
