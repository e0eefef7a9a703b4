// A step of the erasure of records: takes the next targets of the plans of several deletions, removes or moves records,
// redacts references from records that stay, and stores the progress, all in one transaction. Decides nothing.

import { isOfOrganization } from "../../../domain/deletion/organization-deletion.ts";
import { namesParties } from "../../../domain/deletion/party.ts";
import { restrictedId } from "../../../domain/deletion/restricted-set.ts";
import { keyText, type RecordKey } from "../../../domain/record/record-write.ts";
import type { Act } from "../../interface/act.ts";
import type { ErasureStep } from "../../interface/deletion.ts";
import {
  type KeyRow,
  type NumberedKey,
  numberedKeys,
  rowKeyText,
  toKey,
  uniqueKeys,
} from "../../shared/record-key.ts";
import { readNamedParties, replaceEntries } from "../party/entries.ts";
import {
  type ErasureProgress,
  findTargets,
  type PlanPart,
  type Processing,
  storeProgressOf,
  type TargetRow,
} from "../plan/erasure.ts";
import { type LeavingReports, updateReferencesOf } from "../plan/restricted-reference.ts";
import { findLatestArrival } from "../record/record.ts";
import { removeRelationsFrom } from "../statement/index-conditions.ts";
import { among, keyRows, numberedRows, numbersOf, sameOnServer } from "../statement/named.ts";
import { all, lock, run, type Statements } from "../statement/statements.ts";
import { storeParts } from "../store-parts.ts";
import { auditActs } from "../trail/audit.ts";
import { inTheirSets, moveRecords } from "./move-records.ts";
import { eraseOrganizationStep, type Page } from "./organization-erasure.ts";
import { findPseudonyms } from "./pseudonym.ts";
import type { Cursors } from "./redact-long.ts";
import { redactReferences, type RedactedTypes } from "./redact-records.ts";
import { removeRepliesTo } from "./replies.ts";
import { shortenRecords } from "./shorten-records.ts";

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

function* eraseParts(planned: readonly PlanPart[], cursors: Cursors, act: Act): Statements<Erased> {
  const keys = uniqueKeys(planned.flatMap(({ targets }) => targets));
  // Once a record is locked, nobody can add a change to it that this step would not see.
  const isLocked = yield* lock(keys);
  const shortened = isLocked ? planned : yield* shortenRecords(planned);
  const deletions = planned.map(({ deletion }) => deletion);
  const pseudonyms = yield* findPseudonyms(deletions);
  const options = { deletions, pseudonyms, cursors, act };
  const { parts, types: redacted } = yield* redactReferences(shortened, options);
  const targets = parts.flatMap((part) => part.targets);
  const going = targets.filter(({ action }) => action === "erase");
  const parties = yield* readNamedParties(uniqueKeys(going));
  const erased = yield* eraseUnrestricted(targets);
  const { moved, notes } = yield* moveRecords(parts);
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

/** Returns the records that existed, by deletion. A record that several erase counts for the first of them. */
function* eraseUnrestricted(
  targets: readonly TargetRow[],
): Statements<ReadonlyMap<string, readonly RecordKey[]>> {
  const going = targets.filter(({ action, restricted }) => action === "erase" && !restricted);
  const owners = new Map(going.toReversed().map((row) => [rowKeyText(row), row]));
  const erased = yield* eraseRecords(numberedKeys(going));
  return Map.groupBy(erased, (key) => owners.get(keyText(key))?.deletion_request_id ?? "");
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

const removeChanges = `
  DELETE FROM change
  --sqlite WHERE record_no IN (
  ${numbersOf}
  --sqlite )
  --postgres USING unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
  --postgres   AS named (organization_id, resource_type, resource_id, record_no)
  --postgres WHERE ${sameOnServer("change")}
    --citus AND change.resource_id = ANY ($3::text[])
  `;

const removeRecords = `
  DELETE FROM record ${among("USING", "record", ["organization_id", "resource_type", "resource_id"])}
    --citus AND record.resource_id = ANY ($3::text[])
  RETURNING record.organization_id, record.resource_type, record.resource_id`;

/** Returns those that existed. Without records it runs as many statements, because the time must not disclose it. */
function* eraseRecords(keys: readonly NumberedKey[]): Statements<readonly RecordKey[]> {
  yield* removeRepliesTo(keys);
  yield* run(removeChanges, numberedRows(keys));
  yield* run(removeRelationsFrom, keyRows(keys));
  for (const { ofRecords } of (yield* storeParts()).list) {
    if (ofRecords !== undefined) yield* ofRecords.remove(keys);
  }
  return (yield* all<KeyRow>(removeRecords, keyRows(keys))).map(toKey);
}
