// Relations between records: written with the changes that state them.

import type { RelationKind } from "../../../domain/record-type.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import type { ChangeOfGroup } from "../../group/group-records.ts";
import { keyColumns, keyText } from "../../shared/record-key.ts";
import type { RowInsertion } from "../commit/row-insertion.ts";
import { inTransaction, type Transaction } from "../transaction.ts";

export interface RelationRow {
  readonly organization_id: string;
  readonly from_type: string;
  readonly from_id: string;
  readonly to_type: string;
  readonly to_id: string;
  readonly kind: RelationKind;
}

/** `belongs` takes precedence over `mentions`, whichever change stated it. */
const outweigh = `
  ON CONFLICT (organization_id, to_type, to_id, from_type, from_id)
  DO UPDATE SET kind = 'belongs' WHERE excluded.kind = 'belongs' AND relation.kind <> 'belongs'`;

const insertRelations = `
  INSERT INTO relation (organization_id, from_type, from_id, to_type, to_id, kind)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
  WHERE ${inTransaction}
  ${outweigh}`;

const insertRelationsOnCitus: RowInsertion = {
  into: `INSERT INTO relation (organization_id, from_type, from_id, to_type, to_id, kind) VALUES`,
  row: "(?, ?, ?, ?, ?, ?)",
  end: outweigh,
};

const findReferrers = `
  SELECT relation.organization_id, from_type, from_id, to_type, to_id, kind
  FROM unnest($1::text[], $2::text[], $3::text[]) AS named (organization_id, to_type, to_id)
    JOIN relation USING (organization_id, to_type, to_id)
  --citus WHERE relation.to_id = ANY ($3::text[])
  `;

/** The distinct relations of the changes, in the order of their keys. */
export function relationsOf(changes: readonly ChangeOfGroup[]): readonly RelationRow[] {
  const rows = new Map<string, RelationRow>();
  for (const { record, draft } of changes) {
    for (const { to, id, kind } of draft.references) {
      const row: RelationRow = {
        organization_id: record.organizationId,
        from_type: record.resourceType,
        from_id: record.resourceId,
        to_type: to,
        to_id: id,
        kind,
      };
      const key = `${keyText(record)}\n${to}\n${id}`;
      if (kind === "belongs" || !rows.has(key)) rows.set(key, row);
    }
  }
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

export async function addRelations(
  transaction: Transaction,
  rows: readonly RelationRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = [...relationColumns(rows), rows.map(({ kind }) => kind)];
  if (transaction.distributed) await transaction.insertEach(insertRelationsOnCitus, columns);
  else await transaction.run(insertRelations, ...columns);
}

/** Finds the relations of records that belong to or mention any of these records. */
export function findRelationsTo(
  transaction: Transaction,
  keys: readonly RecordKey[],
): Promise<readonly RelationRow[]> {
  return transaction.all<RelationRow>(findReferrers, ...keyColumns(keys));
}

function relationColumns(rows: readonly Omit<RelationRow, "kind">[]): string[][] {
  return [
    rows.map((row) => row.organization_id),
    rows.map((row) => row.from_type),
    rows.map((row) => row.from_id),
    rows.map((row) => row.to_type),
    rows.map((row) => row.to_id),
  ];
}
