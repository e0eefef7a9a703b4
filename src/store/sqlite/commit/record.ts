// Records and their changes: storing one draft, and looking up a record. Knows nothing about groups of drafts or stored
// replies.

import { decideOutcome, isWritten } from "../../../domain/record/draft-outcome.ts";
import type {
  Draft,
  DraftOutcome,
  RecordKey,
  Reference,
  Sighting,
  WriteMode,
} from "../../../domain/record/record-write.ts";
import { comparedChanges, payloadDigest } from "../../shared/payload-digest.ts";
import type { Connection } from "../connection.ts";
import type { Group } from "./group.ts";
import { keyValues } from "../../shared/record-key.ts";

/** The fields of a write that are the same for all of its drafts. */
export interface DraftContext {
  readonly organizationId: string;
  readonly resourceType: string;
  readonly receivedAt: number;
  readonly replyKey: Uint8Array | null;
}

const insertRecord = `
  INSERT INTO record (organization_id, resource_type, resource_id, record_no, first_seen, last_seen)
  VALUES (?, ?, ?, ?, ?5, ?5)`;

const widenRecord = `
  UPDATE record SET first_seen = min(first_seen, ?4), last_seen = max(last_seen, ?4)
  WHERE organization_id = ?1 AND resource_type = ?2 AND resource_id = ?3`;

/** Returns also whether the next change needs a digest, which saves a statement. */
const widenAndFind = `${widenRecord}
  RETURNING record_no AS recordNo, EXISTS (
    SELECT 1 FROM change WHERE change.record_no = record.record_no
    LIMIT 1 OFFSET ${comparedChanges - 1}) AS isLong`;

const findRecordSql = `
  SELECT record_no AS recordNo, first_seen AS firstSeen, last_seen AS lastSeen FROM record
  WHERE organization_id = ? AND resource_type = ? AND resource_id = ?`;

const insertChange = `
  INSERT INTO change (record_no, change_no, received_at, reply_key, payload, digest)
  VALUES (?, ?, ?, ?, ?, ?)`;

/** Compares lengths first, because SQLite knows the length of a payload without reading all of it. */
const compareFirst = `
  SELECT count(*) AS compared, max(same) AS identical FROM (
    SELECT CASE octet_length(payload) WHEN octet_length(?2) THEN payload = ?2 ELSE 0 END AS same
    FROM change WHERE record_no = ?1 ORDER BY change_no LIMIT ${comparedChanges})`;

/** Digests may collide, so the payload is compared too. */
const findIdenticalLater = `
  SELECT 1 FROM change INDEXED BY change_by_digest
  WHERE record_no = ? AND digest = ? AND payload = ? LIMIT 1`;

/** `belongs` takes precedence over `mentions`, whichever change stated it. */
const storeRelation = `
  INSERT INTO relation (organization_id, from_type, from_id, to_type, to_id, kind)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET kind = 'belongs' WHERE excluded.kind = 'belongs' AND kind <> 'belongs'`;

/** A record is closed to writes while a deletion of it is open, and while a plan being processed erases it. */
const findClosed = `
  SELECT 1 FROM deletion
  WHERE organization_id = ?1 AND resource_type = ?2 AND resource_id = ?3
    AND status IN ('pending', 'processing')
  UNION ALL
  SELECT 1 FROM deletion_target
  WHERE organization_id = ?1 AND resource_type = ?2 AND resource_id = ?3 AND action = 'erase'
  LIMIT 1`;

/** Stores one draft, or nothing of it: its outcome is decided before anything is written. */
export function writeDraft(
  group: Group,
  context: DraftContext,
  { mode, draft }: { readonly mode: WriteMode; readonly draft: Draft },
): DraftOutcome {
  const { connection } = group;
  const key = { ...context, resourceId: draft.id };
  let recordNo: number | undefined;
  let known: RecordRow | undefined;
  /** The digest of the payload, if its change needs one. */
  let digest: number | null = null;
  const outcome = decideOutcome(mode, {
    isClosed: () => group.anyDeletionOpen(context.organizationId) && isClosed(connection, key),
    exists: () => {
      // An update of an existing record is always stored, so the same statement can extend its sighting.
      if (mode === "update") ({ recordNo, digest } = widenUpdated(connection, key, draft));
      else recordNo = (known = findRecordRow(connection, key))?.recordNo;
      return recordNo !== undefined;
    },
    hasIdentical: () => {
      if (recordNo === undefined) return false;
      const comparison = compare(connection, recordNo, draft.payload);
      ({ digest } = comparison);
      return comparison.isIdentical;
    },
  });
  if (!isWritten(outcome)) return outcome;
  const changeNo = group.nextArrivalNo();
  if (outcome === "created") {
    connection.run(insertRecord, ...keyValues(key), changeNo, draft.timestamp);
  } else if (known !== undefined) widen(connection, key, { draft, known });
  storeChange(group, context, { draft, recordNo: recordNo ?? changeNo, changeNo, digest });
  return outcome;
}

function isClosed(connection: Connection, key: RecordKey): boolean {
  return connection.get(findClosed, ...keyValues(key)) !== undefined;
}

function widenUpdated(
  connection: Connection,
  key: RecordKey,
  { timestamp, payload }: Draft,
): { readonly recordNo: number | undefined; readonly digest: number | null } {
  const values = [...keyValues(key), timestamp] as const;
  const row = connection.get<{ recordNo: number; isLong: 0 | 1 }>(widenAndFind, ...values);
  return { recordNo: row?.recordNo, digest: row?.isLong === 1 ? payloadDigest(payload) : null };
}

function widen(
  connection: Connection,
  key: RecordKey,
  { draft: { timestamp }, known }: { readonly draft: Draft; readonly known: Sighting },
): void {
  if (known.firstSeen <= timestamp && timestamp <= known.lastSeen) return;
  connection.run(widenRecord, ...keyValues(key), timestamp);
}

interface Comparison {
  readonly isIdentical: boolean;
  readonly digest: number | null;
}

function compare(connection: Connection, recordNo: number, payload: string): Comparison {
  type First = { readonly compared: number; readonly identical: 0 | 1 | null };
  const first = connection.get<First>(compareFirst, recordNo, payload);
  if (first?.identical === 1) return { isIdentical: true, digest: null };
  if (first?.compared !== comparedChanges) return { isIdentical: false, digest: null };
  const digest = payloadDigest(payload);
  const later = connection.get(findIdenticalLater, recordNo, digest, payload);
  return { isIdentical: later !== undefined, digest };
}

interface NewChange {
  readonly draft: Draft;
  readonly recordNo: number;
  readonly changeNo: number;
  readonly digest: number | null;
}

function storeChange(group: Group, context: DraftContext, change: NewChange): void {
  const { connection } = group;
  const { draft, recordNo, changeNo, digest } = change;
  const { receivedAt, replyKey } = context;
  const values = [recordNo, changeNo, receivedAt, replyKey, draft.payload, digest] as const;
  connection.run(insertChange, ...values);
  const key = { ...context, resourceId: draft.id };
  for (const reference of draft.references) insertRelation(connection, key, reference);
}

export function insertRelation(
  connection: Connection,
  key: RecordKey,
  { to, id, kind }: Reference,
): void {
  connection.run(storeRelation, ...keyValues(key), to, id, kind);
}

interface RecordRow extends Sighting {
  readonly recordNo: number;
}

function findRecordRow(connection: Connection, key: RecordKey): RecordRow | undefined {
  return connection.get<RecordRow>(findRecordSql, ...keyValues(key));
}

export function findRecord(connection: Connection, key: RecordKey): Sighting | undefined {
  const row = findRecordRow(connection, key);
  return row && { firstSeen: row.firstSeen, lastSeen: row.lastSeen };
}
