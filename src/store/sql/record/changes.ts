// Reads the changes of records: all of records with few changes, and part by part those of records with many, so that
// no statement reads more than the budget of its caller. Changes nothing.

import type { RecordKey } from "../../../domain/record/record-write.ts";
import { limits } from "../../../domain/limits.ts";
import { type KeyRow, rowKeyText, keyValues } from "../../shared/record-key.ts";
import { all, type Statements } from "../statement/statements.ts";
import { changesOfRecords, existingRecords, keyRows, sameOnServer } from "../statement/named.ts";

const readAll = `
  SELECT named.organization_id, named.resource_type, named.resource_id, change_no, payload, reply_key
  FROM ${changesOfRecords}
  --citus WHERE change.resource_id = ANY ($3::text[])
  ORDER BY named.organization_id, named.resource_type, named.resource_id, change_no`;

/**
 * Selects numbers beyond `$4`, up to `$5`, by whole keys: otherwise PostgreSQL may read all that arrived in between.
 */
export const changesBetween = `
  --sqlite FROM record CROSS JOIN change USING (record_no)
  --sqlite WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3
  --sqlite   AND change_no > $4 AND change_no <= $5
  --postgres FROM change
  --postgres WHERE organization_id = $1 AND (resource_type, resource_id, change_no) > ($2, $3, $4)
  --postgres   AND (resource_type, resource_id, change_no) <= ($2, $3, $5)
    --citus AND resource_id = $3
  `;

/** Every column of the key: the order of the index on PostgreSQL too. */
export const inOrder = "ORDER BY resource_type, resource_id, change_no";

/** Greater than every number of a change. */
export const anyChange = Number.MAX_SAFE_INTEGER;

const readSizes = `
  SELECT change_no, octet_length(payload) AS bytes ${changesBetween} ${inOrder} LIMIT $6`;

const readPage = `
  SELECT organization_id, resource_type, resource_id, change_no, payload, reply_key ${changesBetween}
  ${inOrder}`;

/** In a statement about `record`, this finds the change after the first ones; their number follows. */
export const changeAfter = `
      SELECT 1 FROM change
      --sqlite WHERE change.record_no = record.record_no
      --postgres WHERE change.organization_id = record.organization_id
      --postgres   AND change.resource_type = record.resource_type
      --postgres   AND change.resource_id = record.resource_id
      LIMIT 1 OFFSET`;

/** A record with more changes than this is read part by part. */
const changesOfShortMax = 16;

/** None of them exceeds the budget of a step. */
const measureShort = `
  WITH short AS MATERIALIZED (
    SELECT record.* FROM ${existingRecords}
    WHERE NOT EXISTS (${changeAfter} ${changesOfShortMax})
      --citus AND record.resource_id = ANY ($3::text[])
    )
  SELECT named.organization_id, named.resource_type, named.resource_id, count(*) AS changes,
    sum(octet_length(payload)) AS bytes
  FROM short AS named
    --sqlite CROSS JOIN change USING (record_no)
    --postgres JOIN change ON ${sameOnServer("change")}
  --citus WHERE change.resource_id = ANY ($3::text[])
  GROUP BY named.organization_id, named.resource_type, named.resource_id`;

export interface PayloadRow extends KeyRow {
  readonly change_no: number;
  readonly payload: string;
  readonly reply_key: Uint8Array | null;
}

export function* readChanges(keys: readonly RecordKey[]): Statements<readonly PayloadRow[]> {
  return yield* all<PayloadRow>(readAll, keyRows(keys));
}

export interface Size {
  readonly changes: number;
  readonly bytes: number;
}

/** How much one transaction may still read of payloads, of which it may rewrite all. */
export class ReadBudget {
  #changes = limits.rewrittenChangesMax;
  #bytes = limits.rewrittenBytesMax;

  get changes(): number {
    return this.#changes;
  }

  /** A change, and a record with few changes, always fit into an unused budget. */
  take({ changes, bytes }: Size): boolean {
    if (changes > this.#changes || bytes > this.#bytes) return false;
    this.#changes -= changes;
    this.#bytes -= bytes;
    return true;
  }
}

/** Returns the sizes of those records that exist and have few changes, by the texts of their keys. */
export function* measureShortRecords(
  keys: readonly RecordKey[],
): Statements<ReadonlyMap<string, Size>> {
  const rows = yield* all<KeyRow & Size>(measureShort, keyRows(keys));
  return new Map(rows.map((row) => [rowKeyText(row), row]));
}

export interface ChangesPart {
  readonly changes: readonly PayloadRow[];
  /** Whether no later change exists. */
  readonly isLast: boolean;
}

/** Reads the changes of one record that arrived after this one, in order, as many as the budget allows. */
export function* readChangesAfter(
  key: RecordKey,
  after: number,
  budget: ReadBudget,
): Statements<ChangesPart> {
  const from = [...keyValues(key), after] as const;
  const sizesMax = budget.changes + 1;
  type Sized = { readonly change_no: number; readonly bytes: number };
  const sizes = yield* all<Sized>(readSizes, ...from, anyChange, sizesMax);
  const end = sizes.findIndex(({ bytes }) => !budget.take({ changes: 1, bytes }));
  const last = sizes.at(end === -1 ? -1 : end - 1);
  if (last === undefined || end === 0) return { changes: [], isLast: sizes.length === 0 };
  const changes = yield* all<PayloadRow>(readPage, ...from, last.change_no);
  return { changes, isLast: end === -1 && sizes.length < sizesMax };
}
