// The fast paths for parts of drafts whose records are all new, or all stored already: few statements, no evaluation.
// If a part turns out to be neither, nothing of it is stored, and the caller has its drafts evaluated.

import type { Draft } from "../../../domain/record/record-write.ts";
import { type RelationRow, toRelation } from "../../group/group-records.ts";
import type { Value } from "../connection.ts";
import type { Group } from "./group.ts";
import { addRelations } from "./record.ts";
import { textsBySize } from "./row-parts.ts";

/** A draft together with the fields of its write. */
export interface NewRecord {
  readonly draft: Draft;
  readonly receivedAt: number;
  readonly replyKey: Uint8Array | null;
}

export interface RecordKind {
  readonly organizationId: string;
  readonly resourceType: string;
}

/**
 * Organization and type, then three values for each record: id, number, timestamp. The placeholders have no numbers:
 * SQLite would look up each by its name. Any failure except a conflict rolls back the whole transaction anyway, so
 * SQLite need not prepare to undo the statement (OR FAIL).
 */
const insertRecords = textsBySize(
  (rows) => `
    INSERT OR FAIL INTO record (organization_id, resource_type, resource_id, record_no, first_seen, last_seen)
    SELECT ?, ?, column1, column2, column3, column3 FROM (VALUES ${rows("(?, ?, ?)")})
    WHERE true ON CONFLICT DO NOTHING`,
);

/** Four values for each change: number, received_at, reply_key, payload. */
const insertChanges = textsBySize(
  (rows) => `
    INSERT OR FAIL INTO change (record_no, change_no, received_at, reply_key, payload)
    SELECT column1, column1, column2, column3, column4 FROM (VALUES ${rows("(?, ?, ?, ?)")})`,
);

/** Organization, then the first and the last number of records. */
const removeRelations = `
  DELETE FROM relation
  WHERE organization_id = ?1 AND (from_type, from_id) IN (
    SELECT resource_type, resource_id FROM record
    WHERE organization_id = ?1 AND record_no BETWEEN ?2 AND ?3)`;
const removeChanges = `
  DELETE FROM change WHERE record_no IN (
    SELECT record_no FROM record WHERE organization_id = ?1 AND record_no BETWEEN ?2 AND ?3)`;
const removeRecords = `
  DELETE FROM record WHERE organization_id = ?1 AND record_no BETWEEN ?2 AND ?3`;

/** True if all of the records were new. Otherwise stores nothing. */
export function insertNew(group: Group, kind: RecordKind, part: readonly NewRecord[]): boolean {
  const { connection } = group;
  const { organizationId, resourceType } = kind;
  const firstNo = group.takeArrivalNos(part.length);
  const rows: Value[] = [organizationId, resourceType];
  const changes: Value[] = [];
  const relations: RelationRow[] = [];
  let no = firstNo;
  for (const { draft, receivedAt, replyKey } of part) {
    rows.push(draft.id, no, draft.timestamp);
    changes.push(no, receivedAt, replyKey, draft.payload);
    for (const reference of draft.references) {
      relations.push(toRelation({ ...kind, resourceId: draft.id }, reference));
    }
    no += 1;
  }
  const inserted = connection.run(insertRecords(part.length), ...rows);
  if (inserted < part.length) {
    if (inserted > 0) connection.run(removeRecords, organizationId, firstNo, no - 1);
    return false;
  }
  connection.run(insertChanges(part.length), ...changes);
  addRelations(connection, relations);
  return true;
}

/** Removes what `insertNew` has stored since it was to give this number: no other record has a number from it on. */
export function removeNew(group: Group, { organizationId }: RecordKind, firstNo: number): void {
  const values = [organizationId, firstNo, group.takeArrivalNos(0) - 1] as const;
  for (const sql of [removeRelations, removeChanges, removeRecords]) {
    group.connection.run(sql, ...values);
  }
}

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

/** True if the first change of each record of a part is identical to its draft. */
export function areStored(
  { connection }: Group,
  { organizationId, resourceType }: RecordKind,
  part: readonly NewRecord[],
): boolean {
  const values: Value[] = [];
  for (const { draft } of part) values.push(draft.id, draft.payload);
  const sql = countStored(part.length);
  const row = connection.get<{ stored: number }>(sql, ...values, organizationId, resourceType);
  return row?.stored === part.length;
}
