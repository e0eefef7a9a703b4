// Finds the records that an open deletion closes to writes: the record that it was requested for, and all records that
// its plan erases.

import type { RecordKey } from "../../../domain/record/record-write.ts";
import { keyColumns, type KeyRow, rowKeyText } from "../../shared/record-key.ts";
import { joinTargets } from "../../sql/statement/named.ts";
import { textFor } from "../../sql/statement/statements.ts";
import type { Transaction } from "../transaction.ts";

/** Finds it by its key: without LIMIT, the planner would choose a join that reads all open deletions of the store. */
export const joinOpenDeletion = `
  CROSS JOIN LATERAL (
    SELECT deletion_request_id FROM deletion
    WHERE deletion.organization_id = named.organization_id
      AND deletion.resource_type = named.resource_type AND deletion.resource_id = named.resource_id
      AND status IN ('pending', 'processing')
    LIMIT 1) AS open_deletion`;

/** A row without a key reports whether there is any plan to search. */
const findByDeletion = `
  SELECT named.organization_id, named.resource_type, named.resource_id
  FROM unnest($1::text[], $2::text[], $3::text[]) AS named (organization_id, resource_type, resource_id)
    ${joinOpenDeletion}
  UNION ALL
  SELECT NULL, NULL, NULL WHERE EXISTS (SELECT 1 FROM deletion WHERE status = 'processing')`;

const findByPlan = `
  SELECT DISTINCT target.organization_id, target.resource_type, target.resource_id
  FROM unnest($1::text[], $2::text[], $3::text[]) AS named (organization_id, resource_type, resource_id)
    ${textFor("postgres", joinTargets)}
  WHERE action = 'erase'
    --citus AND target.resource_id = ANY ($3::text[])
  `;

/** Call while the records are locked or just inserted: a later plan then waits for this transaction. */
export async function findClosed(
  transaction: Transaction,
  keys: readonly RecordKey[],
): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set();
  type NoKey = { readonly resource_id: null };
  const rows = await transaction.all<KeyRow | NoKey>(findByDeletion, ...keyColumns(keys));
  const closed = new Set<string>();
  let planned = false;
  for (const row of rows) {
    if (row.resource_id === null) planned = true;
    else closed.add(rowKeyText(row));
  }
  if (!planned) return closed;
  const targets = await transaction.all<KeyRow>(findByPlan, ...keyColumns(keys));
  for (const row of targets) closed.add(rowKeyText(row));
  return closed;
}
