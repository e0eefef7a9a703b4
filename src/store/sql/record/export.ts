// A page of an export: the changes of a type in the order of ids, up to an arrival number. Each page is a separate
// read, so that even a long export never keeps erased bytes from being freed.

import type { ExportedChange } from "../../../domain/record/record-write.ts";
import { reader } from "../../row/reader.ts";
import { list, type Statements } from "../statement/statements.ts";

export interface ChangePage {
  readonly organizationId: string;
  readonly resourceType: string;
  /** No change beyond this arrival number. */
  readonly upTo: number;
  /** The last change of the page before; undefined for the first page. */
  readonly after: Pick<ExportedChange, "resourceId" | "changeNo"> | undefined;
  readonly limit: number;
}

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

const toChange = reader<ExportedChange>({});

/** In the order of record ids (as bytes) and, within a record, of arrival. */
export function* listChanges(page: ChangePage): Statements<readonly ExportedChange[]> {
  const { organizationId, resourceType, upTo, after, limit } = page;
  const { resourceId = "", changeNo = 0 } = after ?? {};
  const place = [organizationId, resourceType, resourceId, changeNo, upTo, limit] as const;
  return yield* list(toChange, readPage, ...place);
}
