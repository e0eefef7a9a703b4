// Relations between records: written with the changes that state them.

import type { RelationRow as OneRelation } from "../../sql/plan/relations.ts";
import type { ChangeOfGroup } from "../../group/group-records.ts";
import { keyText } from "../../../domain/record/record-write.ts";
import { insert, type Insertion, Rows, type Statements } from "../../sql/statement/statements.ts";
import { inTransaction, type Transaction } from "../transaction.ts";

export interface RelationRow extends OneRelation {
  readonly organization_id: string;
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

const insertRelationsOnCitus: Insertion = {
  into: `INSERT INTO relation (organization_id, from_type, from_id, to_type, to_id, kind) VALUES`,
  row: "(?, ?, ?, ?, ?, ?)",
  end: outweigh,
};

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
  if (rows.length > 0) await transaction.perform(insertRows, rows);
}

const names = ["organization_id", "from_type", "from_id", "to_type", "to_id", "kind"] as const;

function* insertRows(rows: readonly RelationRow[]): Statements<void> {
  const values = new Rows(
    rows.map((row) => names.map((name) => row[name])),
    names.length,
  );
  yield* insert(insertRelations, values, insertRelationsOnCitus);
}
