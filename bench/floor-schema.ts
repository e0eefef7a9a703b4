// The two tables of the floor, the same as `record` and `change` of the product, and the settings of its connections.
// It has no other table of the product, because the comparison is about the cost of the rest.

import { DatabaseSync } from "node:sqlite";

export const organizationId = "org_0123456789abcdef";
export const resourceType = "transaction";

/** Opens a connection with the durability of the product, which also overwrites deleted content. */
export function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA secure_delete = ON;
    PRAGMA cache_size = -65536;
    PRAGMA wal_autocheckpoint = 20000;
    PRAGMA journal_size_limit = 104857600;
  `);
  return database;
}

export function createTables(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE record (
      organization_id TEXT NOT NULL,
      resource_type TEXT NOT NULL,
      resource_id TEXT NOT NULL,
      record_no INTEGER NOT NULL,
      first_seen TEXT NOT NULL,
      last_seen TEXT NOT NULL,
      PRIMARY KEY (organization_id, resource_type, resource_id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE change (
      record_no INTEGER NOT NULL,
      change_no INTEGER NOT NULL,
      received_at INTEGER NOT NULL,
      reply_key BLOB,
      payload TEXT NOT NULL,
      PRIMARY KEY (record_no, change_no)
    ) STRICT, WITHOUT ROWID;
  `);
}
