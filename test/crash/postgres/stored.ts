// Reads all record data of a PostgreSQL database, bypassing all product code and row-level
// security, so that no fault in reading can hide one in writing. Alters nothing.

import type { PostgresServer } from "../../support/postgres/postgres-server.ts";
import { keyOf } from "../ledger.ts";
import type { Stored } from "../stored.ts";

const allChanges = `
  SELECT record.organization_id, record.resource_type, record.resource_id,
    first_seen, last_seen, payload
  FROM record LEFT JOIN change USING (organization_id, resource_type, resource_id)
  ORDER BY change_no`;

const orphans = `
  SELECT count(*)::int AS count FROM change LEFT JOIN record
    USING (organization_id, resource_type, resource_id)
  WHERE record.resource_id IS NULL`;

interface Row {
  readonly organization_id: string;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly first_seen: string;
  readonly last_seen: string;
  readonly payload: string | null;
}

export async function readStored(postgres: PostgresServer, url: string): Promise<Stored> {
  const records = new Map<string, { firstSeen: string; lastSeen: string; payloads: string[] }>();
  for (const row of (await postgres.query(allChanges, url)) as unknown as readonly Row[]) {
    const key = keyOf({
      organizationId: row.organization_id,
      resourceType: row.resource_type,
      resourceId: row.resource_id,
    });
    const record = records.get(key) ?? {
      firstSeen: row.first_seen,
      lastSeen: row.last_seen,
      payloads: [],
    };
    records.set(key, record);
    if (row.payload !== null) record.payloads.push(row.payload);
  }
  const count = Number((await postgres.query(orphans, url))[0]?.["count"]);
  return { records, faults: count === 0 ? [] : [`${count} changes belong to no record`] };
}
