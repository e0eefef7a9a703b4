// Many new records with few statements: the fast way for drafts that nothing stands against, rolled back whole where
// something does. Evaluates nothing itself; whoever is told false goes the way of one draft at a time.

import type { Draft, WriteMode } from "../../../domain/record/record-write.ts";
import type { Connection, Value } from "../connection.ts";
import type { Group } from "./group.ts";
import { insertRelation } from "./record.ts";

/** A draft together with what its write says. */
export interface NewRecord {
  readonly draft: Draft;
  readonly receivedAt: number;
  readonly replyKey: Uint8Array | null;
}

export interface RecordKind {
  readonly organizationId: string;
  readonly resourceType: string;
}

/** How many records go into one statement: as many as there are, the largest of these that fits. */
const partSizes = [16, 4, 1] as const;

interface Statements {
  /** Organization and type, then three values a record: id, number, timestamp. */
  readonly insertRecords: string;
  /** Four values a change: number, received_at, reply_key, payload. */
  readonly insertChanges: string;
}

const statementsBySize: ReadonlyMap<number, Statements> = new Map(
  partSizes.map((size) => [size, statementsFor(size)]),
);

/**
 * Places have no numbers, for each would be looked up by its name. A failure that is not a conflict undoes the whole
 * transaction anyway, so it need not undo the statement (OR FAIL), which SQLite would have to prepare for.
 */
function statementsFor(size: number): Statements {
  const rows = (tuple: string) => Array.from({ length: size }, () => tuple).join();
  return {
    insertRecords: `
      INSERT OR FAIL INTO record (organization_id, resource_type, resource_id, record_no, first_seen, last_seen)
      SELECT ?, ?, column1, column2, column3, column3 FROM (VALUES ${rows("(?, ?, ?)")})
      WHERE true ON CONFLICT DO NOTHING`,
    insertChanges: `
      INSERT OR FAIL INTO change (record_no, change_no, received_at, reply_key, payload)
      SELECT column1, column1, column2, column3, column4 FROM (VALUES ${rows("(?, ?, ?, ?)")})`,
  };
}

const removeRelations = `
  DELETE FROM relation WHERE organization_id = ? AND from_type = ? AND from_id = ?`;
const removeRecord = `
  DELETE FROM record
  WHERE organization_id = ? AND resource_type = ? AND resource_id = ? AND record_no = ?`;
const removeChange = `DELETE FROM change WHERE record_no = ?`;

/** How many of `left` records, at least one, go into the next statement. */
export function nextPartSize(left: number): number {
  return partSizes.find((size) => size <= left) ?? 1;
}

/** True if new records may be stored without a look at each: nothing can be closed to writes. */
export function mayBeNew(group: Group, mode: WriteMode): boolean {
  return mode !== "update" && !group.anyDeletionOpen();
}

/**
 * Stores a part of one of the sizes, or nothing if any of its records is there already. Gives the number of the first
 * record, from which the others are counted, or undefined.
 */
export function insertNew(
  group: Group,
  kind: RecordKind,
  records: readonly NewRecord[],
): number | undefined {
  const { connection } = group;
  const { organizationId, resourceType } = kind;
  const statements = statementsBySize.get(records.length);
  if (statements === undefined) throw new TypeError(`no statement takes ${records.length} records`);
  const firstNo = group.takeArrivalNos(records.length);
  const rows: Value[] = [organizationId, resourceType];
  const changes: Value[] = [];
  let no = firstNo;
  for (const { draft, receivedAt, replyKey } of records) {
    rows.push(draft.id, no, draft.timestamp);
    changes.push(no, receivedAt, replyKey, draft.payload);
    no += 1;
  }
  const inserted = connection.run(statements.insertRecords, ...rows);
  if (inserted < records.length) {
    if (inserted > 0) removeRecords(connection, kind, { records, firstNo });
    return undefined;
  }
  connection.run(statements.insertChanges, ...changes);
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

/** Takes back what `insertNew` stored in this transaction, and nothing else: by number, which no other record has. */
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
