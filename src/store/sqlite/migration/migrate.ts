// Brings the schema up to this version, one numbered migration after another, all in one transaction. Never touches a
// store that is newer, or a database that is not a store.

import { StoreError } from "../../store-error.ts";
import { type Connection, hasTables, transaction } from "../connection.ts";
import { firstTables } from "./0001-first-tables.ts";
import { receipts } from "./0002-receipts.ts";
import { restoresAndHolds } from "./0003-restores-and-holds.ts";
import { digests } from "./0004-digests.ts";
import { retentionFloors } from "./0005-retention-floors.ts";
import { closedOrganizations } from "./0006-closed-organizations.ts";
import { receiptCounts } from "./0007-receipt-counts.ts";
import { restrictedStore } from "./0008-restricted-store.ts";
import { pseudonyms } from "./0009-pseudonyms.ts";
import { operators } from "./0010-operators.ts";

/** Statements, or a function if rows have to be computed. */
type Migration = string | ((connection: Connection) => void);

/** In order; the schema version is how many of them were applied. */
const migrations: readonly Migration[] = [
  firstTables,
  receipts,
  restoresAndHolds,
  digests,
  retentionFloors,
  closedOrganizations,
  receiptCounts,
  restrictedStore,
  pseudonyms,
  operators,
];

export const schemaVersion = migrations.length;

const createMeta = `
  CREATE TABLE IF NOT EXISTS meta (
    name TEXT NOT NULL PRIMARY KEY,
    value INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`;

const readVersion = `SELECT value FROM meta WHERE name = 'schema_version'`;

const writeVersion = `
  INSERT INTO meta (name, value) VALUES ('schema_version', ?)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

/** Does nothing if the schema is current. If two processes start at once, the second finds it done. */
export function migrate(connection: Connection): void {
  if (versionOf(connection) === schemaVersion) return;
  transaction(connection, () => {
    const version = versionOf(connection);
    if (version > schemaVersion) {
      throw new StoreError(
        `The store ${connection.path} has schema version ${version}, and this version of Sluice knows ` +
          `${schemaVersion} at most. Use the version of Sluice that wrote it, or a newer one.`,
      );
    }
    connection.exec(createMeta);
    for (const migration of migrations.slice(version)) {
      if (typeof migration === "string") connection.exec(migration);
      else migration(connection);
    }
    connection.run(writeVersion, schemaVersion);
  });
}

function versionOf(connection: Connection): number {
  if (!hasTables(connection)) return 0;
  return connection.get<{ value: number }>(readVersion)?.value ?? 0;
}
