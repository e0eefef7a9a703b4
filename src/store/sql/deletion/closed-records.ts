// Finds the records that open deletions close to writes. Changes nothing.

import { byDueTime, byRecord } from "../statement/index-conditions.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import { type KeyRow, rowKeyText } from "../../shared/record-key.ts";
import { joinErasing, keyRows, namedRecords } from "../statement/named.ts";
import { all, type Statements } from "../statement/statements.ts";

/** Without LIMIT, PostgreSQL would plan a join that reads all open deletions of the store. */
export const findOpen = `
  SELECT deletion_request_id, named.organization_id, named.resource_type, named.resource_id
  FROM ${namedRecords}
    --sqlite CROSS JOIN deletion ON
    --postgres CROSS JOIN LATERAL (SELECT deletion_request_id FROM deletion WHERE
      deletion.organization_id = named.organization_id
      AND deletion.resource_type = named.resource_type AND deletion.resource_id = named.resource_id
      AND status IN ('pending', 'processing') ${byRecord}
    --postgres LIMIT 1) AS open_deletion
  `;

/** On PostgreSQL, a row without a key reports whether there is any plan to search. */
const findClosedByDeletion = `
  ${findOpen}
  UNION ALL SELECT NULL, NULL, NULL, NULL
    --postgres WHERE EXISTS (SELECT 1 FROM deletion WHERE status = 'processing'
    ${byDueTime}
    --postgres )
  `;

const findClosedByPlan = `
  SELECT DISTINCT target.organization_id, target.resource_type, target.resource_id
  FROM ${namedRecords} ${joinErasing}
  WHERE action = 'erase'
    --citus AND target.resource_id = ANY ($3::text[])
  `;

/**
 * Finds the records that an open deletion closes to writes: the record that it was requested for, and all records that
 * its plan erases. Call while they are locked or just inserted: a later plan then waits for this transaction.
 */
export function* findClosed(keys: readonly RecordKey[]): Statements<ReadonlySet<string>> {
  if (keys.length === 0) return new Set();
  const rows = keyRows(keys);
  type NoKey = { readonly resource_id: null };
  const open = yield* all<KeyRow | NoKey>(findClosedByDeletion, rows);
  const closed = open.filter((row) => row.resource_id !== null);
  if (closed.length < open.length) closed.push(...(yield* all<KeyRow>(findClosedByPlan, rows)));
  return new Set(closed.map(rowKeyText));
}
