// A step of the erasure of records: takes the next targets of the plans of several deletions, removes or moves records,
// redacts references from records that stay, and stores the progress, all in one transaction. Decides nothing.

import { isOfOrganization } from "../../../domain/deletion/organization-deletion.ts";
import { namesParties } from "../../../domain/deletion/party.ts";
import { restrictedId } from "../../../domain/deletion/restricted-set.ts";
import { keyText, type RecordKey } from "../../../domain/record/record-write.ts";
import type { Act } from "../../interface/act.ts";
import { rowKeyText, toKey, type KeyRow, keyValues } from "../../shared/record-key.ts";
import type { AuditNote } from "../../interface/trail.ts";
import type { ErasureStep } from "../../interface/deletion.ts";
import {
  type ErasureProgress,
  findTargets,
  type PlanPart,
  type Processing,
  storeProgressOf,
  type TargetRow,
} from "../plan/erasure.ts";
import { eraseOrganizationStep, type Page } from "./organization-erasure.ts";
import { findLatestArrival } from "../record/record.ts";
import { findPseudonyms } from "./pseudonym.ts";
import { type LeavingReports, updateReferencesOf } from "../plan/restricted-reference.ts";
import { auditActs } from "../trail/audit.ts";
import { type NumberedKey, among, keyRows, named, numberedRows } from "../statement/named.ts";
import { lock, type Statements, all, Rows, run } from "../statement/statements.ts";
import { storeParts } from "../store-parts.ts";
import type { Cursors } from "./redact-long.ts";
import { type NamedParty, readNamedParties, replaceEntries } from "../party/entries.ts";
import { redactReferences, type RedactedTypes } from "./redact-records.ts";
import { uniqueKeys, shortenRecords } from "./shorten-records.ts";
import { type RepliedRow, removeRepliesOf } from "./rewrite.ts";
import { describeHold, type Hold } from "../../../domain/access.ts";
import { findHoldsOf } from "../retention/hold.ts";

type Progress = ErasureProgress & LeavingReports;

export interface StepOptions {
  readonly act: Act;
  /** Counts records, or rows of an organization. */
  readonly recordsMax: number;
  /** How the engine erases an organization, if it has its own method. */
  readonly ofOrganization?: Page["own"];
}

/** Erases the next part of what `chooseNext` has chosen. */
export function* eraseStep(
  processing: readonly Processing[],
  options: StepOptions,
): Statements<Omit<ErasureStep, "workMs">> {
  const { done, notices } = yield* eraseNext(processing, options);
  return { done: [...done], notices, latestArrival: yield* findLatestArrival() };
}

function* eraseNext(
  processing: readonly Processing[],
  { recordsMax, ofOrganization, act }: StepOptions,
): Statements<Erased> {
  const [first] = processing;
  if (first === undefined) return nothing;
  const { deletion } = first;
  if (isOfOrganization(deletion)) {
    const args = { rowsMax: recordsMax, own: ofOrganization, act };
    const isDone = yield* eraseOrganizationStep(first, args);
    return isDone ? { ...nothing, done: [deletion.deletionRequestId] } : nothing;
  }
  const cursors = new Map(processing.map((one) => [one.deletion.deletionRequestId, one.cursor]));
  const deletions = processing.map((one) => one.deletion);
  return yield* eraseParts(yield* findTargets(deletions, "toErase", recordsMax), cursors, act);
}

/** The deletions with nothing left to erase, and how many notices were written. */
interface Erased {
  readonly done: readonly string[];
  readonly notices: number;
}

const nothing: Erased = { done: [], notices: 0 };

function* eraseParts(given: readonly PlanPart[], cursors: Cursors, act: Act): Statements<Erased> {
  const keys = uniqueKeys(given.flatMap(({ targets }) => targets));
  // Once a record is locked, nobody can add a change to it that this step would not see.
  const isLocked = yield* lock(keys);
  const shortened = isLocked ? given : yield* shortenRecords(given);
  const deletions = given.map(({ deletion }) => deletion);
  const pseudonyms = yield* findPseudonyms(deletions);
  const options = { deletions, pseudonyms, cursors, act };
  const { parts, types: redacted } = yield* redactReferences(shortened, options);
  const targets = parts.flatMap((part) => part.targets);
  const going = targets.filter(({ action }) => action === "erase");
  const parties = yield* readNamedParties(uniqueKeys(going));
  const erased = yield* eraseUnrestricted(targets);
  const { moved, notes } = yield* moveRestricted(parts);
  if (going.some(({ resource_type }) => namesParties(resource_type))) {
    yield* replaceEntries({ remove: parties, add: inTheirSets(parties, going) });
  }
  const progress = parts.map((part) => progressOf(part, { erased, moved, redacted }));
  yield* updateReferencesOf(progress);
  yield* storeProgressOf(progress, act);
  let notices = 0;
  for (const { onErased } of (yield* storeParts()).list) {
    if (onErased !== undefined) notices += yield* onErased(progress, act);
  }
  // This runs even without notes, so that the time does not disclose whether there are any.
  yield* auditActs(notes.map((note) => ({ ...act, note })));
  const ended = parts.filter(({ isLast }) => isLast);
  const done = ended.map(({ deletion }) => deletion.deletionRequestId);
  return { done, notices };
}

/** What the records that are moved name, in the restricted sets. */
function inTheirSets(
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

function numberedKeys(targets: readonly TargetRow[]): readonly NumberedKey[] {
  const keys = new Map<string, NumberedKey>();
  for (const row of targets) {
    const recordNo = row.record_no ?? null;
    const text = rowKeyText(row);
    if (recordNo !== null || !keys.has(text)) keys.set(text, { ...toKey(row), recordNo });
  }
  return [...keys.values()];
}

/** Returns the records that existed, by deletion. A record that several erase counts for the first of them. */
function* eraseUnrestricted(
  targets: readonly TargetRow[],
): Statements<ReadonlyMap<string, readonly RecordKey[]>> {
  const going = targets.filter(({ action, restricted }) => action === "erase" && !restricted);
  const owners = new Map(going.toReversed().map((row) => [rowKeyText(row), row]));
  const erased = yield* eraseRecords(numberedKeys(going));
  return Map.groupBy(erased, (key) => owners.get(keyText(key))?.deletion_request_id ?? "");
}

/** Returns for each restricted set, by its organization id, the records that still existed, by their former keys. */
function* moveRestricted(parts: readonly PlanPart[]): Statements<{
  readonly moved: ReadonlyMap<string, readonly RecordKey[]>;
  readonly notes: readonly AuditNote[];
}> {
  const leaving = parts.flatMap(({ deletion, targets }) => {
    const kept = targets.filter(({ action, restricted }) => action === "erase" && restricted);
    const set = restrictedId(deletion.deletionRequestId);
    return numberedKeys(kept).map((key) => ({ ...key, set }));
  });
  const { moved, notes } = yield* moveRecords(leaving);
  return { moved: Map.groupBy(moved, ({ organizationId }) => organizationId), notes };
}

function progressOf(
  { deletion, targets }: PlanPart,
  results: {
    readonly erased: ReadonlyMap<string, readonly RecordKey[]>;
    readonly moved: ReadonlyMap<string, readonly RecordKey[]>;
    readonly redacted: RedactedTypes;
  },
): Progress {
  const { deletionRequestId: id } = deletion;
  const erased = results.erased.get(id) ?? [];
  const { organizationId } = deletion;
  const set = results.moved.get(restrictedId(id)) ?? [];
  const moved = set.map((key) => ({ ...key, organizationId }));
  return { deletion, done: targets, erased, moved, redactedTypes: results.redacted.get(id) ?? [] };
}

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
function* eraseRecords(keys: readonly NumberedKey[]): Statements<readonly RecordKey[]> {
  const rows = numberedRows(keys);
  yield* removeRepliesOf(yield* all<RepliedRow>(findReplies, rows));
  yield* run(removeChanges, rows);
  yield* run(removeRelationsFrom, keyRows(keys));
  for (const { ofRecords } of (yield* storeParts()).list) {
    if (ofRecords !== undefined) yield* ofRecords.remove(keys);
  }
  return (yield* all<KeyRow>(removeRecords, keyRows(keys))).map(toKey);
}

interface MovingRecord extends NumberedKey {
  /** The organization id of the restricted set. */
  readonly set: string;
}

/**
 * Moves records to the restricted store. Returns those that still existed, with the organization id of their set and
 * the audit notes of their holds. Runs the same number of statements even without records, because the time must not
 * disclose whether there are any.
 */
function* moveRecords(
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
