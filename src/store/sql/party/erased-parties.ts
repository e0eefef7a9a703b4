// Whether a record names a person or a company whose erasure has begun. Its changes are read part by part, because
// writers wait for each transaction on SQLite. Changes nothing.

import { byDueTime } from "../statement/index-conditions.ts";
import { isPartyType, namingTypes, partiesOf } from "../../../domain/deletion/party.ts";
import type { Payload } from "../../../domain/record-type.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import type { Unnamed } from "../../interface/retention.ts";
import { readChangesAfter, ReadBudget } from "../record/changes.ts";
import { all, type Statements } from "../statement/statements.ts";

const findProcessing = `
  SELECT resource_type, resource_id FROM deletion
  --sqlite INDEXED BY deletion_by_organization_status
  WHERE organization_id = $1 AND status = 'processing' ${byDueTime}`;

/** True if the record names such a party, false if it names none; otherwise what to continue with. */
export function* namesErasedParty(
  record: RecordKey,
  before: Unnamed | undefined,
): Statements<boolean | Unnamed> {
  const type = namingTypes.find(({ resourceType }) => resourceType === record.resourceType);
  if (type === undefined) return false;
  type Row = { readonly resource_type: string; readonly resource_id: string };
  const rows = yield* all<Row>(findProcessing, record.organizationId);
  const erased = rows.filter((row) => isPartyType(row.resource_type));
  const parties = new Set(erased.map(({ resource_id: id }) => id));
  if (parties.size === 0) return false;
  const isKnown = before !== undefined && parties.isSubsetOf(new Set(before.parties));
  const after = isKnown ? before.after : 0;
  const { changes, isLast } = yield* readChangesAfter(record, after, new ReadBudget());
  const isNamed = changes.some(({ payload }) =>
    partiesOf(type, JSON.parse(payload) as Payload).some((id) => parties.has(id)),
  );
  if (isNamed || isLast) return isNamed;
  return { after: changes.at(-1)?.change_no ?? after, parties: [...parties] };
}
