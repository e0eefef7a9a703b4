// Removes records with their changes, relations and stored replies, or moves those that have to be kept to the
// restricted store. The caller decides which records, and how many at once.

import { keyText, type RecordKey } from "../../../domain/record/record-write.ts";
import type { AuditNote } from "../../interface/trail.ts";
import { type KeyRow, toKey, keyValues } from "../../shared/record-key.ts";
import { all, Rows, run, type Statements } from "../statement/statements.ts";
import { among, keyRows, named, type NumberedKey, numberedRows } from "../statement/named.ts";
import { storeParts } from "../store-parts.ts";
import { type RepliedRow, removeRepliesOf } from "./rewrite.ts";
import { describeHold, type Hold } from "../../../domain/access.ts";
import { findHoldsOf } from "../retention/hold.ts";

const key = ["organization_id", "resource_type", "resource_id"] as const;
/** On SQLite a plan has the number of each record, which finds changes that outlived their record. */
const numbered = named(...key, "record_no bigint");

const numbers = `
    --sqlite SELECT record.record_no FROM json_each($1) AS named CROSS JOIN record
    --sqlite   ON organization_id = named.value ->> 0 AND resource_type = named.value ->> 1
    --sqlite     AND resource_id = named.value ->> 2
    --sqlite UNION
    --sqlite SELECT value ->> 3 FROM json_each($1) WHERE value ->> 3 IS NOT NULL
    `;

const findReplies = `
  SELECT DISTINCT named.organization_id, reply_key
  FROM ${numbered}
    --sqlite CROSS JOIN change ON change.record_no IN (named.record_no, (
    --sqlite   SELECT record_no FROM record
    --sqlite   WHERE organization_id = named.organization_id
    --sqlite     AND resource_type = named.resource_type AND resource_id = named.resource_id))
    --postgres JOIN change USING (organization_id, resource_type, resource_id)
  WHERE reply_key IS NOT NULL
    --citus AND change.resource_id = ANY ($3::text[])
  `;

const removeChanges = `
  DELETE FROM change
  --sqlite WHERE record_no IN (
  ${numbers}
  --sqlite )
  --postgres USING unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
  --postgres   AS named (organization_id, resource_type, resource_id, record_no)
  --postgres WHERE change.organization_id = named.organization_id
  --postgres   AND change.resource_type = named.resource_type AND change.resource_id = named.resource_id
    --citus AND change.resource_id = ANY ($3::text[])
  `;

const removeRelationsFrom = `
  DELETE FROM relation ${among("USING", "relation", ["organization_id", "from_type", "from_id"])}`;

const removeRecords = `
  DELETE FROM record ${among("USING", "record", key)}
    --citus AND record.resource_id = ANY ($3::text[])
  RETURNING record.organization_id, record.resource_type, record.resource_id`;

/** On SQLite changes are stored by the number of their record, and need not be moved. */
const moveChanges = `
  UPDATE change SET reply_key = NULL
  --sqlite WHERE reply_key IS NOT NULL AND record_no IN (
  ${numbers}
  --sqlite )
  --postgres , organization_id = named.keeper
  --postgres FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[])
  --postgres   AS named (organization_id, resource_type, resource_id, record_no, keeper)
  --postgres WHERE change.organization_id = named.organization_id
  --postgres   AND change.resource_type = named.resource_type AND change.resource_id = named.resource_id
    --citus AND change.resource_id = ANY ($3::text[])
  `;

const moving = named("owner", "type", "id", "record_no bigint", "keeper");

const moveRelations = `
  UPDATE relation SET organization_id = named.keeper FROM ${moving}
  WHERE relation.organization_id = named.owner AND from_type = named.type AND from_id = named.id`;

const moveRows = `
  UPDATE record SET organization_id = named.keeper FROM ${moving}
  WHERE record.organization_id = named.owner AND resource_type = named.type AND resource_id = named.id
    --citus AND record.resource_id = ANY ($3::text[])
  RETURNING record.organization_id, record.resource_type, record.resource_id`;

/** Returns those that existed. Without records it runs as many statements, because the time must not disclose it. */
export function* eraseRecords(keys: readonly NumberedKey[]): Statements<readonly RecordKey[]> {
  const rows = numberedRows(keys);
  yield* removeRepliesOf(yield* all<RepliedRow>(findReplies, rows));
  yield* run(removeChanges, rows);
  yield* run(removeRelationsFrom, keyRows(keys));
  for (const { ofRecords } of (yield* storeParts()).list) {
    if (ofRecords !== undefined) yield* ofRecords.remove(keys);
  }
  return (yield* all<KeyRow>(removeRecords, keyRows(keys))).map(toKey);
}

export type MovingRecord = NumberedKey & MovedRecord;

/**
 * Moves records to the restricted store. Returns those that still existed, with the organization id of their set and
 * the audit notes of their holds. Runs the same number of statements even without records, because the time must not
 * disclose whether there are any.
 */
export function* moveRecords(
  records: readonly MovingRecord[],
): Statements<{ readonly moved: readonly RecordKey[]; readonly notes: readonly AuditNote[] }> {
  yield* removeRepliesOf(yield* all<RepliedRow>(findReplies, numberedRows(records)));
  const values = records.map((one) => [...keyValues(one), one.recordNo, one.set]);
  const rows = new Rows(values, 5);
  yield* run(moveChanges, rows);
  yield* run(moveRelations, rows);
  const notes = yield* moveHolds(records);
  return { moved: (yield* all<KeyRow>(moveRows, rows)).map(toKey), notes };
}

const moveHoldsOf = `
  UPDATE hold SET organization_id = named.owner FROM ${named("id", "owner")}
  WHERE hold_id = named.id`;

const recordsAtOnce = 500;

interface MovedRecord extends RecordKey {
  /** The organization id of the restricted set. */
  readonly set: string;
}

/** Runs as many statements without holds, and without records: the time must disclose neither. */
function* moveHolds(records: readonly MovedRecord[]): Statements<readonly AuditNote[]> {
  const notes: AuditNote[] = [];
  const sets = new Map(records.map((record) => [keyText(record), record.set]));
  for (let at = 0; at === 0 || at < records.length; at += recordsAtOnce) {
    const holds = yield* findHoldsOf(records.slice(at, at + recordsAtOnce));
    const moved = holds.map((hold) => [hold, sets.get(keyText(hold)) ?? ""] as const);
    const rows = moved.map(([{ holdId }, set]) => [holdId, set]);
    yield* run(moveHoldsOf, new Rows(rows, 2));
    notes.push(...moved.map(([hold, set]) => noteOf(hold, set)));
  }
  return notes;
}

function noteOf(before: Hold, set: string): AuditNote {
  const hold = { ...before, organizationId: set };
  const detail = { ...describeHold(hold), because: "restricted" };
  return { action: "hold.place", organizationId: set, subject: hold, detail };
}
