// Reads all record data of a SQLite file, bypassing all product code, so that no fault in reading
// can hide one in writing. Opens it read-only and alters nothing.

import { DatabaseSync } from "node:sqlite";
import { keyOf } from "./ledger.ts";

export interface StoredRecord {
  readonly firstSeen: string;
  readonly lastSeen: string;
  /** Payloads in the order of arrival. */
  readonly payloads: readonly string[];
}

export interface Stored {
  readonly records: ReadonlyMap<string, StoredRecord>;
  /** The errors that SQLite reports for the file, and changes that belong to no record. */
  readonly faults: readonly string[];
}

interface Row {
  readonly organization_id: string;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly first_seen: string;
  readonly last_seen: string;
  readonly payload: string | null;
}

const allChanges = `
  SELECT organization_id, resource_type, resource_id, first_seen, last_seen, payload
  FROM record LEFT JOIN change USING (record_no)
  ORDER BY record_no, change_no`;

const orphans = `
  SELECT count(*) AS count FROM change WHERE record_no NOT IN (SELECT record_no FROM record)`;

export function readStored(path: string): Stored {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  try {
    database.exec("BEGIN");
    return { records: readRecords(database), faults: readFaults(database) };
  } finally {
    database.close();
  }
}

function readRecords(database: DatabaseSync): Stored["records"] {
  return collectRecords(database.prepare(allChanges).iterate() as Iterable<unknown>);
}

/** `rows`: of records, each with a change or none, in the order of arrival. */
export function collectRecords(rows: Iterable<unknown>): Stored["records"] {
  const records = new Map<string, { firstSeen: string; lastSeen: string; payloads: string[] }>();
  for (const row of rows as Iterable<Row>) {
    const { organization_id: organizationId, resource_type: resourceType, payload } = row;
    const key = keyOf({ organizationId, resourceType, resourceId: row.resource_id });
    let record = records.get(key);
    if (record === undefined) {
      record = { firstSeen: row.first_seen, lastSeen: row.last_seen, payloads: [] };
      records.set(key, record);
    }
    if (payload !== null) record.payloads.push(payload);
  }
  return records;
}

function readFaults(database: DatabaseSync): readonly string[] {
  const faults = database
    .prepare("PRAGMA integrity_check")
    .all()
    .map((row) => String(row["integrity_check"]))
    .filter((line) => line !== "ok");
  for (const row of database.prepare("PRAGMA foreign_key_check").all()) {
    faults.push(`a row of ${String(row["table"])} refers to nothing`);
  }
  const orphanCount = Number(database.prepare(orphans).get()?.["count"]);
  if (orphanCount > 0) faults.push(`${orphanCount} changes belong to no record`);
  return faults;
}
