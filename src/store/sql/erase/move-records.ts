// Moves records that have to be kept to the restricted set of their deletion, with their changes, relations and holds.

import { describeHold, type Hold } from "../../../domain/access.ts";
import { restrictedId } from "../../../domain/deletion/restricted-set.ts";
import { keyText, type RecordKey } from "../../../domain/record/record-write.ts";
import type { AuditNote } from "../../interface/trail.ts";
import {
  type KeyRow,
  keyValues,
  type NumberedKey,
  numberedKeys,
  rowKeyText,
  toKey,
} from "../../shared/record-key.ts";
import type { NamedParty } from "../party/entries.ts";
import type { PlanPart, TargetRow } from "../plan/erasure.ts";
import { findHoldsOf } from "../retention/hold.ts";
import { moveRelationsFrom } from "../statement/index-conditions.ts";
import { keyColumns, named, numbersOf, sameAsNamed, sameOnServer } from "../statement/named.ts";
import { all, Rows, run, type Statements } from "../statement/statements.ts";
import { removeRepliesTo } from "./replies.ts";

/** On SQLite changes are stored by the number of their record, and need not be moved. */
const moveChanges = `
  UPDATE change SET reply_key = NULL
  --sqlite WHERE reply_key IS NOT NULL AND record_no IN (
  ${numbersOf}
  --sqlite )
  --postgres , organization_id = named.keeper
  --postgres FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[])
  --postgres   AS named (organization_id, resource_type, resource_id, record_no, keeper)
  --postgres WHERE ${sameOnServer("change")}
    --citus AND change.resource_id = ANY ($3::text[])
  `;

const moving = named("owner", "type", "id", "record_no bigint", "keeper");

const names = ["owner", "type", "id"];

const moveRows = `
  UPDATE record SET organization_id = named.keeper FROM ${moving}
  WHERE ${sameAsNamed("record", keyColumns, names)}
    --citus AND record.resource_id = ANY ($3::text[])
  RETURNING record.organization_id, record.resource_type, record.resource_id`;

interface MovingRecord extends NumberedKey {
  /** The organization id of the restricted set. */
  readonly set: string;
}

/**
 * Returns for each restricted set, by its organization id, the records that still existed, by their former keys, and
 * the audit notes of their holds. Runs as many statements without records: the time must not disclose whether there are
 * any.
 */
export function* moveRecords(parts: readonly PlanPart[]): Statements<{
  readonly moved: ReadonlyMap<string, readonly RecordKey[]>;
  readonly notes: readonly AuditNote[];
}> {
  const records = parts.flatMap(({ deletion, targets }): readonly MovingRecord[] => {
    const kept = targets.filter(({ action, restricted }) => action === "erase" && restricted);
    const set = restrictedId(deletion.deletionRequestId);
    return numberedKeys(kept).map((key) => ({ ...key, set }));
  });
  yield* removeRepliesTo(records);
  const values = records.map((one) => [...keyValues(one), one.recordNo, one.set]);
  const rows = new Rows(values, 5);
  yield* run(moveChanges, rows);
  yield* run(moveRelationsFrom, rows);
  const notes = yield* moveHolds(records);
  const moved = (yield* all<KeyRow>(moveRows, rows)).map(toKey);
  return { moved: Map.groupBy(moved, ({ organizationId }) => organizationId), notes };
}

/** What the records that are moved name, in the restricted sets. */
export function inTheirSets(
  parties: readonly NamedParty[],
  targets: readonly TargetRow[],
): readonly NamedParty[] {
  const moved = targets.filter(({ restricted }) => Boolean(restricted));
  const sets = new Map(
    moved.map((row) => [rowKeyText(row), restrictedId(row.deletion_request_id)]),
  );
  return parties.flatMap((one) => {
    const organizationId = sets.get(keyText(one));
    return organizationId === undefined ? [] : [{ ...one, organizationId }];
  });
}

const moveHoldsOf = `
  UPDATE hold SET organization_id = named.owner FROM ${named("id", "owner")}
  WHERE ${sameAsNamed("hold", ["hold_id"], ["id"])}`;

const recordsAtOnce = 500;

/** Runs as many statements without holds, and without records: the time must disclose neither. */
function* moveHolds(records: readonly MovingRecord[]): Statements<readonly AuditNote[]> {
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
