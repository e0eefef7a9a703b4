// A page of an export: the changes of a type in the order of ids, up to an arrival number. Each page is a separate
// read, so that even a long export never keeps erased bytes from being freed.

import type { ChangePage, ExportedChange } from "../../interface/store.ts";
import { all, type Statements } from "../statement/statements.ts";

/** CROSS JOIN makes SQLite read the records in order and look up the changes of each. */
const readPage = `
  SELECT resource_id, change_no, received_at, payload
  --sqlite FROM record CROSS JOIN change USING (record_no)
  --postgres FROM change
  WHERE organization_id = $1 AND resource_type = $2
    --sqlite AND resource_id >= $3 AND change_no > CASE WHEN resource_id = $3 THEN $4 ELSE 0 END
    --postgres AND (resource_id, change_no) > ($3, $4)
    AND change_no <= $5
  ORDER BY resource_id, change_no LIMIT $6`;

interface ChangeRow {
  readonly resource_id: string;
  readonly change_no: number;
  readonly received_at: number;
  readonly payload: string;
}

export function* listChanges(page: ChangePage): Statements<readonly ExportedChange[]> {
  const { organizationId, resourceType, upTo, after, limit } = page;
  const { resourceId = "", changeNo = 0 } = after ?? {};
  const place = [organizationId, resourceType, resourceId, changeNo, upTo, limit] as const;
  return (yield* all<ChangeRow>(readPage, ...place)).map((row) => ({
    resourceId: row.resource_id,
    changeNo: row.change_no,
    receivedAt: row.received_at,
    payload: row.payload,
  }));
}
