// Recognises several drafts that are stored already by one statement: the fast path for a list that is sent again.
// Compares only the first change of each record; if this does not suffice, the caller evaluates the drafts one by one.

import type { Draft } from "../../../domain/record/record-write.ts";
import type { Value } from "../connection.ts";
import type { Group } from "./group.ts";
import { type RecordKind, textsBySize } from "./new-records.ts";

/**
 * Two values for each draft, its id and its payload; then organization and type. The first change of a record has the
 * number of the record. Lengths are compared first, because SQLite knows them without reading all of a payload.
 */
const countStored = textsBySize(
  (rows) => `
    SELECT count(*) AS stored FROM (VALUES ${rows("(?, ?)")}) AS sent
    CROSS JOIN record ON organization_id = ? AND resource_type = ? AND resource_id = sent.column1
    CROSS JOIN change ON change.record_no = record.record_no AND change.change_no = record.record_no
    WHERE octet_length(payload) = octet_length(sent.column2) AND payload = sent.column2`,
);

/** True if the first change of each record that a draft names is identical to it. Call it for a part of one size. */
export function areStored(
  { connection }: Group,
  { organizationId, resourceType }: RecordKind,
  drafts: readonly Draft[],
): boolean {
  const values: Value[] = [];
  for (const { id, payload } of drafts) values.push(id, payload);
  const sql = countStored(drafts.length);
  const row = connection.get<{ stored: number }>(sql, ...values, organizationId, resourceType);
  return row?.stored === drafts.length;
}
