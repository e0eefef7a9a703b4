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

/** How many records go into one statement. */
export const recordsTogether = 16;

const places = Array.from({ length: recordsTogether }, (_, index) => index);

/** ?1 organization, ?2 type, then three values a record: id, number, timestamp. */
const insertRecords = `
  INSERT INTO record (organization_id, resource_type, resource_id, record_no, first_seen, last_seen)
  VALUES ${places.map((at) => `(?1, ?2, ?${at * 3 + 3}, ?${at * 3 + 4}, ?${at * 3 + 5}, ?${at * 3 + 5})`).join()}
  ON CONFLICT DO NOTHING`;

/** Four values a change: number, received_at, reply_key, payload. */
const insertChanges = `
  INSERT INTO change (record_no, change_no, received_at, reply_key, payload)
  VALUES ${places.map((at) => `(?${at * 4 + 1}, ?${at * 4 + 1}, ?${at * 4 + 2}, ?${at * 4 + 3}, ?${at * 4 + 4})`).join()}`;

/** True if the draft may make a record, and brings nothing but itself. */
export function mayBeNew(group: Group, mode: WriteMode, { references }: Draft): boolean {
  return mode !== "update" && references.length === 0 && !group.anyDeletionOpen();
}

/** Stores exactly `recordsTogether` records, or nothing and false if any of them is there already. */
export function insertNew(
  group: Group,
  { organizationId, resourceType }: RecordKind,
  records: readonly NewRecord[],
): boolean {
  const { connection } = group;
  const rows: Value[] = [organizationId, resourceType];
  const changes: Value[] = [];
  for (const { draft, receivedAt, replyKey } of records) {
    const no = group.nextArrivalNo();
    rows.push(draft.id, no, draft.timestamp);
    changes.push(no, receivedAt, replyKey, draft.payload);
  }
  connection.run("SAVEPOINT news");
  const allNew = connection.run(insertRecords, ...rows) === records.length;
  if (allNew) connection.run(insertChanges, ...changes);
  else connection.run("ROLLBACK TO news");
  connection.run("RELEASE news");
  return allNew;
}
