// Many new records with few statements: the fast way for drafts that nothing stands against, taken back whole where
// something does. Judges nothing itself; whoever is told false goes the way of one draft at a time.

import type { Draft, WriteMode } from "../../domain/record-write.ts";
import type { Value } from "./connection.ts";
import type { Group } from "./group.ts";

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
const partSizes = [16, 4] as const;

interface Statements {
  /** ?1 organization, ?2 type, then three values a record: id, number, timestamp. */
  readonly insertRecords: string;
  /** Four values a change: number, received_at, reply_key, payload. */
  readonly insertChanges: string;
}

const statementsBySize: ReadonlyMap<number, Statements> = new Map(
  partSizes.map((size) => [size, statementsFor(size)]),
);

function statementsFor(size: number): Statements {
  const places = Array.from({ length: size }, (_, index) => index);
  return {
    insertRecords: `
      INSERT INTO record (organization_id, resource_type, resource_id, record_no, first_seen, last_seen)
      VALUES ${places.map((at) => `(?1, ?2, ?${at * 3 + 3}, ?${at * 3 + 4}, ?${at * 3 + 5}, ?${at * 3 + 5})`).join()}
      ON CONFLICT DO NOTHING`,
    insertChanges: `
      INSERT INTO change (record_no, change_no, received_at, reply_key, payload)
      VALUES ${places.map((at) => `(?${at * 4 + 1}, ?${at * 4 + 1}, ?${at * 4 + 2}, ?${at * 4 + 3}, ?${at * 4 + 4})`).join()}`,
  };
}

/** How many of `left` records go into the next statement; undefined if each goes alone. */
export function nextPartSize(left: number): number | undefined {
  return partSizes.find((size) => size <= left);
}

/** True if the draft may make a record, and brings nothing but itself. */
export function mayBeNew(group: Group, mode: WriteMode, { references }: Draft): boolean {
  return mode !== "update" && references.length === 0 && !group.anyDeletionOpen();
}

/** Stores a part of one of the sizes, or nothing and false if any of its records is there already. */
export function insertNew(
  group: Group,
  { organizationId, resourceType }: RecordKind,
  records: readonly NewRecord[],
): boolean {
  const { connection } = group;
  const statements = statementsBySize.get(records.length);
  if (statements === undefined) throw new TypeError(`no statement takes ${records.length} records`);
  const rows: Value[] = [organizationId, resourceType];
  const changes: Value[] = [];
  for (const { draft, receivedAt, replyKey } of records) {
    const no = group.nextArrivalNo();
    rows.push(draft.id, no, draft.timestamp);
    changes.push(no, receivedAt, replyKey, draft.payload);
  }
  connection.run("SAVEPOINT news");
  const allNew = connection.run(statements.insertRecords, ...rows) === records.length;
  if (allNew) connection.run(statements.insertChanges, ...changes);
  else connection.run("ROLLBACK TO news");
  connection.run("RELEASE news");
  return allNew;
}
