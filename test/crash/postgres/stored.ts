// Reads all record data of a PostgreSQL database, bypassing all product code and row-level
// security, so that no fault in reading can hide one in writing. Alters nothing.

import { collectRecords, type Stored } from "../stored.ts";

/** Runs a statement as the superuser. */
type QueryAll = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

const allChanges = `
  SELECT record.organization_id, record.resource_type, record.resource_id,
    first_seen, last_seen, payload
  FROM record LEFT JOIN change USING (organization_id, resource_type, resource_id)
  ORDER BY change_no`;

const orphans = `
  SELECT count(*)::int AS count FROM change LEFT JOIN record
    USING (organization_id, resource_type, resource_id)
  WHERE record.resource_id IS NULL`;

export async function readStored(query: QueryAll): Promise<Stored> {
  const records = collectRecords(await query(allChanges));
  const count = Number((await query(orphans))[0]?.["count"]);
  return { records, faults: count === 0 ? [] : [`${count} changes belong to no record`] };
}
