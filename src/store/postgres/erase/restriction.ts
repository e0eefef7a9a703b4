// Moves records that have to be kept to the restricted store: their rows, changes, relations and holds get the organization id of the
// restricted set. No distribution column changes, so on Citus nothing moves to another node.

import type { RecordKey } from "../../../domain/record/record-write.ts";
import { moveHolds } from "../../sql/restricted-hold.ts";
import type { Act } from "../../store.ts";
import { removeReplies } from "../commit/idempotency.ts";
import { keyColumns } from "../record-key.ts";
import type { Transaction } from "../transaction.ts";

const findReplies = `
  SELECT DISTINCT change.organization_id, reply_key
  FROM unnest($1::text[], $2::text[], $3::text[]) AS named (organization_id, resource_type, resource_id)
    JOIN change USING (organization_id, resource_type, resource_id)
  WHERE reply_key IS NOT NULL
    --citus AND change.resource_id = ANY ($3::text[])
  `;

const moveChanges = `
  UPDATE change SET organization_id = $4, reply_key = NULL
  FROM unnest($1::text[], $2::text[], $3::text[]) AS named (organization_id, resource_type, resource_id)
  WHERE change.organization_id = named.organization_id
    AND change.resource_type = named.resource_type AND change.resource_id = named.resource_id
    --citus AND change.resource_id = ANY ($3::text[])
  `;

const moveRelations = `
  UPDATE relation SET organization_id = $4
  FROM unnest($1::text[], $2::text[], $3::text[]) AS named (organization_id, from_type, from_id)
  WHERE relation.organization_id = named.organization_id
    AND relation.from_type = named.from_type AND relation.from_id = named.from_id`;

const moveRows = `
  UPDATE record SET organization_id = $4
  FROM unnest($1::text[], $2::text[], $3::text[]) AS named (organization_id, resource_type, resource_id)
  WHERE record.organization_id = named.organization_id
    AND record.resource_type = named.resource_type AND record.resource_id = named.resource_id
    --citus AND record.resource_id = ANY ($3::text[])
  RETURNING record.resource_type, record.resource_id`;

interface Moving {
  /** Of which the records are. */
  readonly organizationId: string;
  readonly set: string;
  readonly act: Act;
}

/** Returns those that still existed. Sends as many statements if there are none: the time must not tell. */
export async function moveRecords(
  transaction: Transaction,
  keys: readonly RecordKey[],
  { organizationId, set, act }: Moving,
): Promise<readonly RecordKey[]> {
  const columns = keyColumns(keys);
  const replies = await transaction.all<{ organization_id: string; reply_key: Uint8Array }>(
    findReplies,
    ...columns,
  );
  await removeReplies(
    transaction,
    replies.map(({ reply_key: keyHash }) => ({ organizationId, keyHash })),
  );
  await transaction.run(moveChanges, ...columns, set);
  await transaction.run(moveRelations, ...columns, set);
  await transaction.perform(moveHolds, keys, set, act);
  const moved = await transaction.all<{ resource_type: string; resource_id: string }>(
    moveRows,
    ...columns,
    set,
  );
  return moved.map(({ resource_type: resourceType, resource_id: resourceId }) => ({
    organizationId,
    resourceType,
    resourceId,
  }));
}
