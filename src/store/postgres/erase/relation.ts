// Relations between records: written with the changes that state them.

import { relationColumns, type RelationRow } from "../../group/group-records.ts";
import { insert, type Insertion, Rows, type Statements } from "../../sql/statement/statements.ts";
import { inTransaction, type Transaction } from "../transaction.ts";

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

export async function addRelations(
  transaction: Transaction,
  rows: readonly RelationRow[],
): Promise<void> {
  if (rows.length > 0) await transaction.perform(insertRows, rows);
}

function* insertRows(rows: readonly RelationRow[]): Statements<void> {
  const values = new Rows(
    rows.map((row) => relationColumns.map((name) => row[name])),
    relationColumns.length,
  );
  yield* insert(insertRelations, values, insertRelationsOnCitus);
}
