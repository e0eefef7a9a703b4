// Reads all record data of a PostgreSQL database, bypassing all product code and row-level
// security, so that no fault in reading can hide one in writing. Alters nothing.

import type { PostgresServer } from "../../support/postgres/postgres-server.ts";
import { collectRecords, type Stored } from "../stored.ts";

const allChanges = `
  SELECT record.organization_id, record.resource_type, record.resource_id,
    first_seen, last_seen, payload
  FROM record LEFT JOIN change USING (organization_id, resource_type, resource_id)
  ORDER BY change_no`;

const orphans = `
  SELECT count(*)::int AS count FROM change LEFT JOIN record
    USING (organization_id, resource_type, resource_id)
  WHERE record.resource_id IS NULL`;

export async function readStored(postgres: PostgresServer, url: string): Promise<Stored> {
  const records = collectRecords(await postgres.query(allChanges, url));
  const count = Number((await postgres.query(orphans, url))[0]?.["count"]);
  return { records, faults: count === 0 ? [] : [`${count} changes belong to no record`] };
}
