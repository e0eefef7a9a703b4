// What the evaluation of a group reads about records, and the rows that it stores: many with each statement. Decides
// nothing.

import type { AppError } from "../../../domain/error.ts";
import {
  keyText,
  type RecordKey,
  type RecordWrite,
  type Sighting,
} from "../../../domain/record/record-write.ts";
import type { GroupEvaluation, Known } from "../../group/evaluate-group.ts";
import {
  type ChangeOfGroup,
  keysOf,
  relationColumns,
  type RelationRow,
  relationsOf,
} from "../../group/group-records.ts";
import { namesOf, type ReplyName, type StoredReply } from "../../group/group-replies.ts";
import { comparedChanges, payloadDigest } from "../../shared/payload-digest.ts";
import { keyValues } from "../../shared/record-key.ts";
import { findClosed } from "../../sql/deletion/closed-records.ts";
import type { Connection, Value } from "../connection.ts";
import type { Group } from "./group.ts";
import { readForAll, runForAll, textsBySize } from "./row-parts.ts";

/** Three values for each reply: organization, key, and the index of the name. */
const findStored = textsBySize(
  (rows) => `
    SELECT column3, fingerprint, outcome, created_at FROM (VALUES ${rows("(?, ?, ?)")})
    CROSS JOIN idempotent_reply ON organization_id = column1 AND key_hash = column2`,
);

const insertReplies = textsBySize(
  (rows) => `
    INSERT OR FAIL INTO idempotent_reply (organization_id, key_hash, fingerprint, outcome, created_at)
    VALUES ${rows("(?, ?, ?, ?, ?)")}`,
);

export function findReplies(
  connection: Connection,
  names: readonly ReplyName[],
): readonly StoredReply[] {
  if (names.length === 0) return [];
  type Row = readonly [index: number, fingerprint: Uint8Array, outcome: string, createdAt: number];
  const rows = names.map(({ organizationId, keyHash }, index) => [organizationId, keyHash, index]);
  return readForAll<Row>(connection, findStored, rows).flatMap(
    ([index, fingerprint, outcome, createdAt]) =>
      names.slice(index, index + 1).map((name) => ({ ...name, fingerprint, outcome, createdAt })),
  );
}

export function addReplies(connection: Connection, replies: readonly StoredReply[]): void {
  if (replies.length === 0) return;
  const rows = replies.map(({ organizationId, keyHash, fingerprint, outcome, createdAt }) => [
    organizationId,
    keyHash,
    fingerprint,
    outcome,
    createdAt,
  ]);
  runForAll(connection, insertReplies, rows);
}

interface StoredRecord extends Sighting {
  readonly recordNo: number;
  /** How many changes it has, counted up to `comparedChanges`. */
  readonly changes: number;
}

interface KnownInFile extends Known {
  readonly records: ReadonlyMap<string, StoredRecord>;
}

/** Four values for each record: its key, and its index. Counts by the keys alone. */
const findRecords = textsBySize(
  (rows) => `
    SELECT column4, record_no, first_seen, last_seen, (
      SELECT count(*) FROM (
        SELECT 1 FROM change WHERE change.record_no = record.record_no LIMIT ${comparedChanges}))
    FROM (VALUES ${rows("(?, ?, ?, ?)")})
    CROSS JOIN record ON organization_id = column1 AND resource_type = column2 AND resource_id = column3`,
);

/** Compares lengths first, because SQLite knows the length of a payload without reading all of it. */
const findIdenticalFirst = `
  SELECT 1 FROM (
    SELECT payload FROM change WHERE record_no = ?1 ORDER BY change_no LIMIT ${comparedChanges})
  WHERE octet_length(payload) = octet_length(?2) AND payload = ?2 LIMIT 1`;

const findFirst = `
  SELECT payload FROM change WHERE record_no = ? ORDER BY change_no LIMIT ${comparedChanges}`;

/** Digests may collide, so the payload is compared too. */
const findIdenticalLater = `
  SELECT 1 FROM change INDEXED BY change_by_digest
  WHERE record_no = ? AND digest = ? AND payload = ? LIMIT 1`;

/** Reads what the evaluation of the writes needs. */
export function readKnown(group: Group, all: readonly RecordWrite[]): KnownInFile {
  const { connection } = group;
  const refusals = new Map<string, AppError>();
  const writes = all.filter((write) => {
    const refusal = group.refusalOf(write);
    if (refusal !== undefined) refusals.set(write.organizationId, refusal);
    return refusal === undefined;
  });
  const keys = [...keysOf(writes)];
  const records = readRecords(connection, keys);
  const identical = new IdenticalChanges(connection);
  const guarded = keys.flatMap(([, key]) => (group.anyDeletionOpen(key.organizationId) ? key : []));
  return {
    refusals,
    records,
    closed: connection.perform(findClosed, guarded),
    hasIdentical: (key, payload) => identical.isStored(records.get(key), payload),
    replies: findReplies(connection, namesOf(writes)),
  };
}

/** Records with their keys as text. */
type Keys = readonly (readonly [text: string, key: RecordKey])[];

function readRecords(connection: Connection, keys: Keys): ReadonlyMap<string, StoredRecord> {
  type Row = readonly [index: number, no: number, first: string, last: string, changes: number];
  const rows = keys.map(([, key], index) => [...keyValues(key), index]);
  const records = new Map<string, StoredRecord>();
  for (const row of readForAll<Row>(connection, findRecords, rows)) {
    const [index, recordNo, firstSeen, lastSeen, changes] = row;
    records.set(keys[index]?.[0] ?? "", { recordNo, firstSeen, lastSeen, changes });
  }
  return records;
}

/** Remembers the first changes of one record, because a list may change the same record thousands of times. */
class IdenticalChanges {
  readonly #connection: Connection;
  #recordNo: number | undefined;
  #first: ReadonlySet<string> | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  isStored(record: StoredRecord | undefined, payload: string): boolean {
    if (record === undefined) return false;
    const { recordNo, changes } = record;
    if (this.#isFirst(recordNo, payload)) return true;
    if (changes < comparedChanges) return false;
    const digest = payloadDigest(payload);
    return this.#connection.get(findIdenticalLater, recordNo, digest, payload) !== undefined;
  }

  #isFirst(recordNo: number, payload: string): boolean {
    if (this.#recordNo !== recordNo) {
      this.#recordNo = recordNo;
      this.#first = undefined;
      return this.#connection.get(findIdenticalFirst, recordNo, payload) !== undefined;
    }
    this.#first ??= new Set(
      this.#connection.all<{ payload: string }>(findFirst, recordNo).map((row) => row.payload),
    );
    return this.#first.has(payload);
  }
}

const insertRecords = textsBySize(
  (rows) => `
    INSERT OR FAIL INTO record (organization_id, resource_type, resource_id, record_no, first_seen, last_seen)
    VALUES ${rows("(?, ?, ?, ?, ?, ?)")}`,
);

const widenRecord = `
  UPDATE record SET first_seen = ?, last_seen = ?
  WHERE organization_id = ? AND resource_type = ? AND resource_id = ?`;

const insertChanges = textsBySize(
  (rows) => `
    INSERT OR FAIL INTO change (record_no, change_no, received_at, reply_key, payload, digest)
    VALUES ${rows("(?, ?, ?, ?, ?, ?)")}`,
);

/** `belongs` takes precedence over `mentions`, whichever change stated it. */
const storeRelations = textsBySize(
  (rows) => `
    INSERT OR FAIL INTO relation (organization_id, from_type, from_id, to_type, to_id, kind)
    VALUES ${rows("(?, ?, ?, ?, ?, ?)")}
    ON CONFLICT DO UPDATE SET kind = 'belongs' WHERE excluded.kind = 'belongs' AND kind <> 'belongs'`,
);

/** Stores what was evaluated. The changes are numbered in their order. */
export function storeEvaluated(
  group: Group,
  { records, changes, replies }: GroupEvaluation,
  known: KnownInFile,
): void {
  const { connection } = group;
  if (changes.length > 0) {
    const { rows, recordNos } = changeRows(group, changes, known);
    const created = records.created.map(({ record, firstSeen, lastSeen }) => [
      ...keyValues(record),
      recordNos.get(keyText(record)) ?? null,
      firstSeen,
      lastSeen,
    ]);
    runForAll(connection, insertRecords, created);
    for (const { record, firstSeen, lastSeen } of records.widened) {
      connection.run(widenRecord, firstSeen, lastSeen, ...keyValues(record));
    }
    runForAll(connection, insertChanges, rows);
    addRelations(connection, relationsOf(changes));
  }
  addReplies(connection, replies);
}

/** Only a change after the first ones of its record has a digest. */
function changeRows(group: Group, changes: readonly ChangeOfGroup[], { records }: KnownInFile) {
  const recordNos = new Map<string, number>();
  const counts = new Map<string, number>();
  let changeNo = group.takeArrivalNos(changes.length);
  const rows: (readonly Value[])[] = [];
  for (const { record, write, draft } of changes) {
    const key = keyText(record);
    const recordNo = recordNos.get(key) ?? records.get(key)?.recordNo ?? changeNo;
    const before = counts.get(key) ?? records.get(key)?.changes ?? 0;
    const digest = before < comparedChanges ? null : payloadDigest(draft.payload);
    const replyKey = write.idempotency?.keyHash ?? null;
    rows.push([recordNo, changeNo, write.receivedAt, replyKey, draft.payload, digest]);
    recordNos.set(key, recordNo);
    counts.set(key, before + 1);
    changeNo += 1;
  }
  return { rows, recordNos };
}

export function addRelations(connection: Connection, relations: readonly RelationRow[]): void {
  const rows = relations.map((row) => relationColumns.map((name) => row[name]));
  runForAll(connection, storeRelations, rows);
}

const findRecordSql = `
  SELECT first_seen AS firstSeen, last_seen AS lastSeen FROM record
  WHERE organization_id = ? AND resource_type = ? AND resource_id = ?`;

export function findRecord(connection: Connection, key: RecordKey): Sighting | undefined {
  const row = connection.get<Sighting>(findRecordSql, ...keyValues(key));
  return row && { ...row };
}
