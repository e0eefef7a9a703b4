// The progress of an erasure: the next targets of a plan, the targets that are done, and the counts of erased records.
// See erase/ for the steps themselves.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { limits } from "../../../domain/limits.ts";
import type { Act } from "../../interface/act.ts";
import { StoreError } from "../../interface/store-error.ts";
import { addCounts, type DeletionRow, toDeletion } from "../../row/deletion-row.ts";
import { among, inNamedIds, named, namedDeletion } from "../statement/named.ts";
import { readConfidentialTypes } from "../access/organization.ts";
import { all, Rows, run, type Statements } from "../statement/statements.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";

export interface TargetRow {
  readonly deletion_request_id: string;
  readonly position: number;
  readonly organization_id: string;
  readonly action: "erase" | "redact";
  readonly resource_type: string;
  readonly resource_id: string;
  readonly to_type: string | null;
  readonly to_id: string | null;
  /** Zero or one on SQLite. */
  readonly restricted: boolean | number;
  /** Present only on SQLite, for a record that is to be erased. */
  readonly record_no?: number | null;
}

/** The first rows of one plan, or of some. */
const findFirst = (condition: string) => {
  const [one, some] = ["deletion_request_id = $1", inNamedIds("deletion_request_id")];
  const find = (plans: string) => `
  SELECT * FROM deletion_target WHERE ${plans} AND ${condition}
  ORDER BY deletion_request_id, position LIMIT $2`;
  return { ofOne: find(one), ofSome: find(some) };
};

const isToDo = `
    --sqlite done = 0
    --postgres NOT done
    `;

/** Those that are restricted are verified last. */
const findNext = { toErase: findFirst(isToDo), toVerify: findFirst("NOT restricted") };

const findRestricted = `
  SELECT * FROM deletion_target WHERE ${inNamedIds("deletion_request_id")} AND restricted`;

const removeThem = `
  DELETE FROM deletion_target
  ${among("USING", "deletion_target", ["deletion_request_id", "position bigint"])}`;

const setDone = `
  UPDATE deletion_target SET done = true
  ${among("FROM", "deletion_target", ["deletion_request_id", "position bigint"])}`;

const setProgress = `
  UPDATE deletion SET erased = named.erased, redacted = named.redacted,
    redacted_by_type = named.redacted_by_type, kept = named.kept,
    --sqlite lease_until = max(lease_until, $6)
    --postgres lease_until = greatest(lease_until, $6)
  FROM ${named("id", "erased", "redacted bigint", "redacted_by_type", "kept")}
  WHERE ${namedDeletion}`;

/** A plan with at most this many targets may share a step with other plans. */
export const smallPlanMax = 64;

/** A deletion that is being processed, and its progress. */
export interface Processing {
  readonly deletion: Deletion;
  /** The position of the last target of its plan. */
  readonly planEnd: number;
  /** Where the step continues; null at the beginning. */
  readonly cursor: string | null;
  readonly claimant: string | null;
}

const findProcessing = `
  SELECT * FROM deletion WHERE ${inNamedIds("deletion_request_id")}
  ORDER BY deletion_request_id
  --postgres FOR UPDATE
  `;

/** For a deletion that another process has taken over, and may have completed, after this one's lease ended. */
export function takenOver(id: string): StoreError {
  return new StoreError(`The deletion ${id} is processed by another process.`, {
    isTemporary: true,
  });
}

/** Locks them until the end of the transaction, in the order of their ids. Throws unless all are being processed. */
export function* lockProcessing(ids: readonly string[]): Statements<readonly Processing[]> {
  const rows = yield* all<DeletionRow>(findProcessing, ids);
  const byId = new Map(rows.map((row) => [row.deletion_request_id, row]));
  return ids.map((id) => {
    const row = byId.get(id);
    if (row === undefined) throw new TypeError(`there is no deletion ${id}`);
    const { plan_end: planEnd, cursor, claimant } = row;
    const deletion = toDeletion(row);
    const { status } = deletion;
    if (status === "completed") throw takenOver(id);
    if (status !== "processing") throw new TypeError(`the deletion ${id} is ${status}`);
    return { deletion, planEnd, cursor, claimant };
  });
}

const readEnds = (condition: string) => `
  SELECT deletion_request_id AS id, plan_end FROM deletion
  WHERE ${inNamedIds("deletion_request_id")} ${condition}`;

/** The positions of the last targets of these plans, by the ids of their deletions. */
export function* readPlanEnds(
  ids: readonly string[],
  condition = "",
): Statements<Map<string, number>> {
  const rows = yield* all<{ id: string; plan_end: number }>(readEnds(condition), ids);
  return new Map(rows.map((row) => [row.id, row.plan_end]));
}

/**
 * Chooses what a transaction erases or verifies: several small plans, up to so many targets together, or else the first
 * deletion. Only these have to be locked.
 */
export function* chooseNext(
  ids: readonly string[],
  targetsMax: number,
): Statements<readonly string[]> {
  // A deletion that is within a record with many changes is not small.
  const planEnds = yield* readPlanEnds(ids, "AND cursor IS NULL");
  let left = targetsMax;
  const small = ids.filter((id) => {
    const planEnd = planEnds.get(id) ?? 0;
    if (planEnd === 0 || planEnd > Math.min(left, smallPlanMax)) return false;
    left -= planEnd;
    return true;
  });
  return small.length > 0 ? small : ids.slice(0, 1);
}

/** The part of the plan of one deletion that a transaction erases or verifies. */
export interface PlanPart {
  readonly deletion: Deletion;
  readonly targets: readonly TargetRow[];
  /** Whether no targets follow. */
  readonly isLast: boolean;
  readonly isConfidential: (target: TargetRow) => boolean;
}

/** Ends a part before the target with this index, if there is one. */
export function partUpTo(part: PlanPart, end: number | undefined): PlanPart {
  return end === undefined ? part : { ...part, targets: part.targets.slice(0, end), isLast: false };
}

/**
 * Reads the next targets of what `chooseNext` has chosen. Those of confidential types have a bound of their own, so
 * that they never affect the number of parts, which the time discloses.
 */
export function* findTargets(
  deletions: readonly Deletion[],
  which: keyof typeof findNext,
  targetsMax = Number.MAX_SAFE_INTEGER,
): Statements<readonly PlanPart[]> {
  if (deletions.length === 0) return [];
  const ids = deletions.map(({ deletionRequestId }) => deletionRequestId);
  const { ofOne, ofSome } = findNext[which];
  const rowsMax = Math.min(2 * targetsMax + 1, Number.MAX_SAFE_INTEGER);
  const [id = "", ...others] = ids;
  const rows =
    others.length === 0
      ? yield* all<TargetRow>(ofOne, id, rowsMax)
      : yield* all<TargetRow>(ofSome, ids, rowsMax);
  const types = new Map<string, ReadonlySet<string>>();
  for (const owner of new Set(deletions.map(({ organizationId }) => organizationId))) {
    types.set(owner, yield* readConfidentialTypes(owner));
  }
  const isConfidential = ({ organization_id, resource_type }: TargetRow) =>
    types.get(organization_id)?.has(resource_type) === true;
  const left = { open: targetsMax, confidential: targetsMax };
  const end = rows.findIndex(
    (row) => (left[isConfidential(row) ? "confidential" : "open"] -= 1) < 0,
  );
  const later = new Set(rows.slice(end === -1 ? rows.length : end).map(idOf));
  const byDeletion = Map.groupBy(end === -1 ? rows : rows.slice(0, end), idOf);
  return deletions.map((deletion) => {
    const { deletionRequestId } = deletion;
    const targets = byDeletion.get(deletionRequestId) ?? [];
    return { deletion, targets, isLast: !later.has(deletionRequestId), isConfidential };
  });
}

function idOf({ deletion_request_id: id }: TargetRow): string {
  return id;
}

/** Reads what is verified next: at last also the targets of moved records, and references that remain. */
export function* findUnverified(
  deletions: readonly Deletion[],
  targetsMax: number | undefined,
): Statements<readonly PlanPart[]> {
  const parts = yield* findTargets(deletions, "toVerify", targetsMax);
  const ended = parts.filter(({ isLast }) => isLast);
  if (ended.length === 0) return parts;
  const ids = ended.map(({ deletion }) => deletion.deletionRequestId);
  const restricted = Map.groupBy(yield* all<TargetRow>(findRestricted, ids), idOf);
  return parts.map((part) => {
    const more = restricted.get(part.deletion.deletionRequestId) ?? [];
    return { ...part, targets: [...part.targets, ...more] };
  });
}

/**
 * Targets that are verified contain the ids of erased records. Those of the record of the deletion stay until the end,
 * because the deletion contains its id anyway, and those of moved records: nobody may write such a record again before
 * the deletion is completed.
 */
export function* removeVerified(parts: readonly PlanPart[]): Statements<void> {
  yield* removeTargets(
    parts.flatMap(({ deletion, targets }) =>
      targets.filter(({ action, restricted, resource_type, resource_id }) => {
        const isSame =
          resource_type === deletion.resourceType && resource_id === deletion.resourceId;
        return !restricted && !(action === "erase" && isSame);
      }),
    ),
  );
}

type Placed = Pick<TargetRow, "deletion_request_id" | "position">;

export function* removeTargets(targets: readonly Placed[]): Statements<void> {
  yield* run(removeThem, placesOf(targets));
}

/** The keys of targets, for a statement about them. */
export function placesOf(targets: readonly Placed[]): Rows {
  return new Rows(
    targets.map((row) => [row.deletion_request_id, row.position]),
    2,
  );
}

/** What a step did for one deletion. */
export interface ErasureProgress {
  readonly deletion: Deletion;
  /** The targets that this step completed. */
  readonly done: readonly TargetRow[];
  readonly erased: readonly Pick<RecordKey, "resourceType">[];
  /** Records that this step moved to the restricted store. */
  readonly moved: readonly Pick<RecordKey, "resourceType">[];
  /** The types of the records from which references were removed, one entry for each reference. */
  readonly redactedTypes: readonly string[];
}

/** Stores what a step did, and extends the leases. */
export function* storeProgressOf(progress: readonly ErasureProgress[], act: Act): Statements<void> {
  const done = progress.flatMap((one) => one.done);
  if (done.length > 0) yield* run(setDone, placesOf(done));
  const rows = progress.map(({ deletion, erased, moved, redactedTypes }) => [
    deletion.deletionRequestId,
    JSON.stringify(addCounts(deletion.erased, typesOf(erased))),
    deletion.redacted + redactedTypes.length,
    JSON.stringify(addCounts(deletion.redactedByType, redactedTypes)),
    JSON.stringify(addCounts(deletion.kept, typesOf(moved))),
  ]);
  if (rows.length > 0) yield* run(setProgress, new Rows(rows, 5), act.now + limits.deletionLeaseMs);
}

function typesOf(records: ErasureProgress["erased"]): readonly string[] {
  return records.map(({ resourceType }) => resourceType);
}

/** A reference to redact, and the record that contains it. */
export interface Reference {
  readonly deletion_request_id: string;
  readonly organization_id: string;
  readonly from_type: string;
  readonly from_id: string;
  readonly to_type: string;
  readonly to_id: string;
}

/** `restricted` selects those in reports that have to be kept: only their relations are removed. */
export function referencesOf(
  targets: readonly TargetRow[],
  { restricted }: { readonly restricted: boolean },
): readonly Reference[] {
  return targets
    .filter((target) => target.action === "redact" && Boolean(target.restricted) === restricted)
    .map(toReference);
}

function toReference(target: TargetRow): Reference {
  const { deletion_request_id, organization_id, to_type, to_id } = target;
  if (to_type === null || to_id === null) throw new TypeError("a redaction names no reference");
  const from = { from_type: target.resource_type, from_id: target.resource_id };
  return { deletion_request_id, organization_id, ...from, to_type, to_id };
}
