// A step of the erasure of records: takes the next targets of the plans of several deletions, removes or moves records,
// redacts references from records that stay, and stores the progress, all in one transaction. Never decides what to
// erase.

import { isOfOrganization } from "../../../domain/deletion/organization-deletion.ts";
import { namesParties } from "../../../domain/deletion/party.ts";
import { restrictedId } from "../../../domain/deletion/restricted-set.ts";
import { keyText, type RecordKey } from "../../../domain/record/record-write.ts";
import type { Act } from "../../interface/act.ts";
import { rowKeyText, toKey } from "../../shared/record-key.ts";
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
import type { NumberedKey } from "../statement/named.ts";
import { lock, type Statements } from "../statement/statements.ts";
import { storeParts } from "../store-parts.ts";
import { eraseRecords, moveRecords } from "./erase-records.ts";
import type { Cursors } from "./redact-long.ts";
import { type NamedParty, readNamedParties, replaceEntries } from "../party/entries.ts";
import { redactReferences, type RedactedTypes } from "./redact-records.ts";
import { uniqueKeys, shortenRecords } from "./shorten-records.ts";

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
  const named = yield* readNamedParties(uniqueKeys(going));
  const erased = yield* eraseUnrestricted(targets);
  const { moved, notes } = yield* moveRestricted(parts);
  if (going.some(({ resource_type }) => namesParties(resource_type))) {
    yield* replaceEntries({ remove: named, add: inTheirSets(named, going) });
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
  named: readonly NamedParty[],
  targets: readonly TargetRow[],
): readonly NamedParty[] {
  const moved = targets.filter(({ restricted }) => Boolean(restricted));
  const sets = new Map(
    moved.map((row) => [rowKeyText(row), restrictedId(row.deletion_request_id)]),
  );
  return named.flatMap((one) => {
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
  const moving = parts.flatMap(({ deletion, targets }) => {
    const kept = targets.filter(({ action, restricted }) => action === "erase" && restricted);
    const set = restrictedId(deletion.deletionRequestId);
    return numberedKeys(kept).map((key) => ({ ...key, set }));
  });
  const { moved, notes } = yield* moveRecords(moving);
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
