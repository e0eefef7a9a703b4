// Records and their changes: how one draft is judged and stored, and how they are read. Knows neither groups of drafts
// nor kept replies.

import type {
  Draft,
  DraftOutcome,
  RecordHistory,
  RecordKey,
  Reference,
  Sighting,
  WriteMode,
} from "../../domain/record-write.ts";
import type { Connection } from "./connection.ts";
import type { Group } from "./group.ts";

/** Everything that is the same for all drafts of a write. */
export interface DraftContext {
  readonly organizationId: string;
  readonly resourceType: string;
  readonly receivedAt: number;
  readonly replyKey: Uint8Array | null;
  /** By id, of records that a list changes several times: those of its payloads that are stored. */
  readonly stored?: ReadonlyMap<string, Set<string>>;
}

const insertRecord = `
  INSERT INTO record (organization_id, resource_type, resource_id, record_no, first_seen, last_seen)
  VALUES (?, ?, ?, ?, ?5, ?5) ON CONFLICT DO NOTHING`;

const widenRecord = `
  UPDATE record SET first_seen = min(first_seen, ?4), last_seen = max(last_seen, ?4)
  WHERE organization_id = ?1 AND resource_type = ?2 AND resource_id = ?3
  RETURNING record_no`;

const findRecordNo = `
  SELECT record_no FROM record
  WHERE organization_id = ? AND resource_type = ? AND resource_id = ?`;

const insertChange = `
  INSERT INTO change (record_no, change_no, received_at, reply_key, payload) VALUES (?, ?, ?, ?, ?)`;

/** One pass over the changes of a record, for however many payloads. */
const findIdenticals = `
  SELECT payload FROM change
  WHERE record_no = ? AND payload IN (SELECT value FROM json_each(?))`;

const findIdentical = `SELECT 1 FROM change WHERE record_no = ? AND payload = ? LIMIT 1`;

/** Belonging outweighs mentioning, whichever change said it. */
const keepRelation = `
  INSERT INTO relation (organization_id, from_type, from_id, to_type, to_id, kind)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET kind = 'belongs' WHERE excluded.kind = 'belongs' AND kind <> 'belongs'`;

/** A record is closed to writes while a deletion of it is open, and while a plan under way says it goes. */
const findClosed = `
  SELECT 1 FROM deletion
  WHERE organization_id = ?1 AND resource_type = ?2 AND resource_id = ?3
    AND status IN ('pending', 'processing')
  UNION ALL
  SELECT 1 FROM deletion_target
  WHERE organization_id = ?1 AND resource_type = ?2 AND resource_id = ?3 AND action = 'erase'
  LIMIT 1`;

const findSighting = `
  SELECT first_seen, last_seen FROM record
  WHERE organization_id = ? AND resource_type = ? AND resource_id = ?`;

const readChanges = `
  SELECT first_seen, last_seen, change_no, received_at, payload
  FROM record JOIN change USING (record_no)
  WHERE organization_id = ? AND resource_type = ? AND resource_id = ?
  ORDER BY change_no`;

const countByType = `
  SELECT resource_type, count(*) AS records FROM record
  WHERE organization_id = ? GROUP BY resource_type ORDER BY resource_type`;

/** Judges and stores one draft; each mode decides before it writes, so a refused draft leaves nothing to undo. */
export function writeDraft(
  group: Group,
  context: DraftContext,
  { mode, draft }: { readonly mode: WriteMode; readonly draft: Draft },
): DraftOutcome {
  if (group.anyDeletionOpen() && isClosed(group.connection, context, draft.id)) {
    return "deletion_open";
  }
  if (mode === "update") return updateRecord(group, context, draft);
  const created = createRecord(group, context, draft);
  if (created) return "created";
  return mode === "append"
    ? appendChange(group, context, draft)
    : refuseAdd(group.connection, context, draft);
}

function isClosed(connection: Connection, context: DraftContext, id: string): boolean {
  const { organizationId, resourceType } = context;
  return connection.get(findClosed, organizationId, resourceType, id) !== undefined;
}

function createRecord(group: Group, context: DraftContext, draft: Draft): boolean {
  const { organizationId, resourceType } = context;
  const no = group.nextArrivalNo();
  const inserted = group.connection.run(
    insertRecord,
    organizationId,
    resourceType,
    draft.id,
    no,
    draft.timestamp,
  );
  if (inserted === 0) return false;
  keepChange(group, context, { draft, recordNo: no, changeNo: no });
  return true;
}

function updateRecord(group: Group, context: DraftContext, draft: Draft): DraftOutcome {
  const { organizationId, resourceType } = context;
  const record = group.connection.get<{ record_no: number }>(
    widenRecord,
    organizationId,
    resourceType,
    draft.id,
    draft.timestamp,
  );
  if (record === undefined) return "no_such_record";
  const changeNo = group.nextArrivalNo();
  keepChange(group, context, { draft, recordNo: record.record_no, changeNo });
  return "updated";
}

function appendChange(group: Group, context: DraftContext, draft: Draft): DraftOutcome {
  return hasIdentical(group.connection, context, draft)
    ? "unchanged"
    : updateRecord(group, context, draft);
}

function refuseAdd(connection: Connection, context: DraftContext, draft: Draft): DraftOutcome {
  return hasIdentical(connection, context, draft) ? "identical_record_exists" : "record_exists";
}

/** Changes of a record in one list from which on they are looked up together. */
const repeatsMin = 4;

/** Without it, a list of changes of one record would read all of them for each. */
export function readStored(
  connection: Connection,
  { organizationId, resourceType }: DraftContext,
  drafts: readonly Draft[],
): ReadonlyMap<string, Set<string>> {
  const stored = new Map<string, Set<string>>();
  if (drafts.length < repeatsMin) return stored;
  for (const [resourceId, payloads] of Map.groupBy(drafts, ({ id }) => id)) {
    if (payloads.length < repeatsMin) continue;
    const recordNo = readRecordNo(connection, { organizationId, resourceType, resourceId });
    const texts = JSON.stringify(payloads.map(({ payload }) => payload));
    const rows =
      recordNo === undefined
        ? []
        : connection.all<{ payload: string }>(findIdenticals, recordNo, texts);
    stored.set(resourceId, new Set(rows.map(({ payload }) => payload)));
  }
  return stored;
}

function hasIdentical(connection: Connection, context: DraftContext, draft: Draft): boolean {
  const stored = context.stored?.get(draft.id);
  if (stored !== undefined) return stored.has(draft.payload);
  const { organizationId, resourceType } = context;
  const recordNo = readRecordNo(connection, { organizationId, resourceType, resourceId: draft.id });
  if (recordNo === undefined) return false;
  return connection.get(findIdentical, recordNo, draft.payload) !== undefined;
}

function keepChange(
  { connection }: Group,
  context: DraftContext,
  change: { readonly draft: Draft; readonly recordNo: number; readonly changeNo: number },
): void {
  const { draft, recordNo, changeNo } = change;
  connection.run(
    insertChange,
    recordNo,
    changeNo,
    context.receivedAt,
    context.replyKey,
    draft.payload,
  );
  context.stored?.get(draft.id)?.add(draft.payload);
  const { organizationId, resourceType } = context;
  for (const reference of draft.references) {
    insertRelation(connection, { organizationId, resourceType, resourceId: draft.id }, reference);
  }
}

export function insertRelation(
  connection: Connection,
  { organizationId, resourceType, resourceId }: RecordKey,
  { to, id, kind }: Reference,
): void {
  connection.run(keepRelation, organizationId, resourceType, resourceId, to, id, kind);
}

export function readRecordNo(connection: Connection, key: RecordKey): number | undefined {
  const { organizationId, resourceType, resourceId } = key;
  return connection.get<{ record_no: number }>(
    findRecordNo,
    organizationId,
    resourceType,
    resourceId,
  )?.record_no;
}

export function findRecord(connection: Connection, key: RecordKey): Sighting | undefined {
  const { organizationId, resourceType, resourceId } = key;
  const row = connection.get<SightingRow>(findSighting, organizationId, resourceType, resourceId);
  return row === undefined ? undefined : { firstSeen: row.first_seen, lastSeen: row.last_seen };
}

/** One statement, so that an erasure between two could not tear it. */
export function readHistory(connection: Connection, key: RecordKey): RecordHistory | undefined {
  const { organizationId, resourceType, resourceId } = key;
  const rows = connection.all<SightingRow & ChangeRow>(
    readChanges,
    organizationId,
    resourceType,
    resourceId,
  );
  const first = rows[0];
  if (first === undefined) return undefined;
  return {
    firstSeen: first.first_seen,
    lastSeen: first.last_seen,
    changes: rows.map(({ change_no, received_at, payload }) => ({
      changeNo: change_no,
      receivedAt: received_at,
      payload,
    })),
  };
}

export function countRecords(
  connection: Connection,
  organizationId: string,
): Readonly<Record<string, number>> {
  const rows = connection.all<{ resource_type: string; records: number }>(
    countByType,
    organizationId,
  );
  return Object.fromEntries(rows.map(({ resource_type, records }) => [resource_type, records]));
}

interface SightingRow {
  readonly first_seen: string;
  readonly last_seen: string;
}

interface ChangeRow {
  readonly change_no: number;
  readonly received_at: number;
  readonly payload: string;
}
