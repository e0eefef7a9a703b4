// Inserts many new records with few statements: the fast path for drafts whose records do not exist yet. If any record
// of a part exists, the part is undone, and the caller evaluates its drafts one by one. Evaluates nothing itself.

import type { Draft, WriteMode } from "../../../domain/record/record-write.ts";
import type { Connection, Value } from "../connection.ts";
import type { Group } from "./group.ts";
import { insertRelation } from "./record.ts";

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

/** How many records one statement inserts: the largest of these that does not exceed the number of records. */
const partSizes = [16, 4, 1] as const;

/** The text of a statement for a part of each size; `rows` repeats a tuple as many times. Throws TypeError. */
export function textsBySize(
  write: (rows: (tuple: string) => string) => string,
): (size: number) => string {
  const texts = new Map<number, string>(
    partSizes.map((size) => [
      size,
      write((tuple) => Array.from({ length: size }, () => tuple).join()),
    ]),
  );
  return (size) => {
    const text = texts.get(size);
    if (text === undefined) throw new TypeError(`no statement takes ${size} records`);
    return text;
  };
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

const removeRelations = `
  DELETE FROM relation WHERE organization_id = ? AND from_type = ? AND from_id = ?`;
const removeRecord = `
  DELETE FROM record
  WHERE organization_id = ? AND resource_type = ? AND resource_id = ? AND record_no = ?`;
const removeChange = `DELETE FROM change WHERE record_no = ?`;

/** How many of `left` records the next statement inserts; at least one. */
export function nextPartSize(left: number): number {
  return partSizes.find((size) => size <= left) ?? 1;
}

/** True if new records may be inserted without checking each: no record of the organization can be closed to writes. */
export function mayBeNew(
  group: Group,
  { mode, organizationId }: { readonly mode: WriteMode; readonly organizationId: string },
): boolean {
  if (mode === "update") return false;
  return !group.anyDeletionOpen(organizationId) && !group.isClosed(organizationId);
}

/** Returns the number of the first record; the others follow. If any exists, stores nothing and returns undefined. */
export function insertNew(
  group: Group,
  kind: RecordKind,
  records: readonly NewRecord[],
): number | undefined {
  const { connection } = group;
  const { organizationId, resourceType } = kind;
  const firstNo = group.takeArrivalNos(records.length);
  const rows: Value[] = [organizationId, resourceType];
  const changes: Value[] = [];
  let no = firstNo;
  for (const { draft, receivedAt, replyKey } of records) {
    rows.push(draft.id, no, draft.timestamp);
    changes.push(no, receivedAt, replyKey, draft.payload);
    no += 1;
  }
  const inserted = connection.run(insertRecords(records.length), ...rows);
  if (inserted < records.length) {
    if (inserted > 0) removeRecords(connection, kind, { records, firstNo });
    return undefined;
  }
  connection.run(insertChanges(records.length), ...changes);
  for (const { draft } of records) {
    for (const reference of draft.references) {
      insertRelation(connection, { ...kind, resourceId: draft.id }, reference);
    }
  }
  return firstNo;
}

interface Stored {
  readonly records: readonly NewRecord[];
  readonly firstNo: number;
}

/** Removes what `insertNew` stored in this transaction. Finds it by the arrival numbers, which no other record has. */
export function removeNew(group: Group, kind: RecordKind, { records, firstNo }: Stored): void {
  const { connection } = group;
  const { organizationId, resourceType } = kind;
  for (const [index, { draft }] of records.entries()) {
    connection.run(removeChange, firstNo + index);
    if (draft.references.length === 0) continue;
    connection.run(removeRelations, organizationId, resourceType, draft.id);
  }
  removeRecords(connection, kind, { records, firstNo });
}

function removeRecords(
  connection: Connection,
  { organizationId, resourceType }: RecordKind,
  { records, firstNo }: Stored,
): void {
  for (const [index, { draft }] of records.entries()) {
    connection.run(removeRecord, organizationId, resourceType, draft.id, firstNo + index);
  }
}
