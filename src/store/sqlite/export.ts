// What an export reads: the changes of a type in the order of ids, page by page, up to an arrival number. Each page is a
// read of its own, so that no export, however long, keeps the log from being emptied and erased bytes from going.

import type { ChangePage, ExportedChange } from "../store.ts";
import type { Connection } from "./connection.ts";

const readArrival = `SELECT value FROM counter WHERE name = 'arrival'`;

const readPage = `
  SELECT resource_id, change_no, received_at, payload
  FROM record CROSS JOIN change USING (record_no)
  WHERE organization_id = ?1 AND resource_type = ?2 AND resource_id >= ?3
    AND change_no > CASE WHEN resource_id = ?3 THEN ?4 ELSE 0 END AND change_no <= ?5
  ORDER BY resource_id, change_no LIMIT ?6`;

interface Row {
  readonly resource_id: string;
  readonly change_no: number;
  readonly received_at: number;
  readonly payload: string;
}

/** Numbers are given out by one writer and become visible in their order. */
export function readLatestArrival(connection: Connection): number {
  return connection.get<{ value: number }>(readArrival)?.value ?? 0;
}

export function listChanges(connection: Connection, page: ChangePage): readonly ExportedChange[] {
  const { organizationId, resourceType, upTo, after, limit } = page;
  const rows = connection.all<Row>(
    readPage,
    organizationId,
    resourceType,
    after?.resourceId ?? "",
    after?.changeNo ?? 0,
    upTo,
    limit,
  );
  return rows.map((row) => ({
    resourceId: row.resource_id,
    changeNo: row.change_no,
    receivedAt: row.received_at,
    payload: row.payload,
  }));
}
