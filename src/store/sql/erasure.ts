// The progress of an erasure: the next targets of a plan, the targets that are done, and the counts of what was erased.
// Removing records and rewriting payloads are each engine's own.

import type { Deletion } from "../../domain/deletion/deletion.ts";
import { nodeKey } from "../../domain/deletion/erasure.ts";
import { limits } from "../../domain/limits.ts";
import type { Act } from "../act.ts";
import type { Gone } from "../gone.ts";
import { addCounts } from "../row/deletion-row.ts";
import { readConfidentialTypes } from "./organization.ts";
import { all, run, type Statements } from "./statements.ts";

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
}

const findNext = `
  SELECT * FROM deletion_target
  --sqlite INDEXED BY deletion_target_to_do
  WHERE deletion_request_id = $1
    --sqlite AND done = 0
    --postgres AND NOT done
  ORDER BY position LIMIT $2`;

const setDone = `
  UPDATE deletion_target
  --sqlite INDEXED BY deletion_target_to_do
  SET done = true
  WHERE deletion_request_id = $1 AND position <= $2
    --sqlite AND done = 0
    --postgres AND NOT done
  `;

const setProgress = `
  UPDATE deletion SET erased = $2, redacted = $3, redacted_by_type = $4, kept = $6,
    --sqlite lease_until = max(lease_until, $5)
    --postgres lease_until = greatest(lease_until, $5)
  WHERE deletion_request_id = $1`;

/** The targets of a step. */
export interface NextTargets<Row extends TargetRow> {
  readonly targets: readonly Row[];
  /** True if the plan has no others. */
  readonly isLast: boolean;
  readonly isConfidential: (target: Row) => boolean;
}

/**
 * At most `targetsMax` targets, and besides as many of confidential types: so these don't decide how many steps there are, which
 * the time until the completion would disclose. `Row` may have further columns of the engine.
 */
export function* findNextTargets<Row extends TargetRow>(
  { deletionRequestId, organizationId }: Deletion,
  targetsMax: number,
): Statements<NextTargets<Row>> {
  const rowsMax = 2 * targetsMax + 1;
  const rows = yield* all<Row>(findNext, deletionRequestId, rowsMax);
  const confidential = yield* readConfidentialTypes(organizationId);
  const isConfidential = ({ resource_type }: Row) => confidential.has(resource_type);
  const left = { open: targetsMax, confidential: targetsMax };
  const end = rows.findIndex((row) => {
    const kind = isConfidential(row) ? "confidential" : "open";
    left[kind] -= 1;
    return left[kind] < 0;
  });
  const targets = end === -1 ? rows : rows.slice(0, end);
  return { targets, isLast: end === -1 && rows.length < rowsMax, isConfidential };
}

export interface ErasureProgress {
  /** The last target that is done; undefined if none is. */
  readonly last: TargetRow | undefined;
  /** The types of the records that were erased, one entry for each. */
  readonly erasedTypes: readonly string[];
  /** The types of the records from which references were removed, one entry for each reference. */
  readonly redactedTypes: readonly string[];
  /** The types of the records that were moved to the restricted store. */
  readonly keptTypes: readonly string[];
}

/** Stores what a step did, and extends the lease. */
export function* storeProgress(
  { deletionRequestId, erased, kept, redacted, redactedByType }: Deletion,
  progress: ErasureProgress,
  act: Act,
): Statements<void> {
  if (progress.last !== undefined) yield* run(setDone, deletionRequestId, progress.last.position);
  yield* run(
    setProgress,
    deletionRequestId,
    JSON.stringify(addCounts(erased, progress.erasedTypes)),
    redacted + progress.redactedTypes.length,
    JSON.stringify(addCounts(redactedByType, progress.redactedTypes)),
    act.now + limits.deletionLeaseMs,
    JSON.stringify(addCounts(kept, progress.keptTypes)),
  );
}

/** What is to be redacted, and in which record. */
export interface Reference {
  readonly organization_id: string;
  readonly from_type: string;
  readonly from_id: string;
  readonly to_type: string;
  readonly to_id: string;
}

export function referencesOf(targets: readonly TargetRow[]): readonly Reference[] {
  return targets
    .filter(({ action, restricted }) => action === "redact" && !restricted)
    .map(toReference);
}

/** References that remain in reports which have to be kept; only their relations are removed. */
export function keptReferencesOf(targets: readonly TargetRow[]): readonly Reference[] {
  return targets
    .filter(({ action, restricted }) => action === "redact" && Boolean(restricted))
    .map(toReference);
}

function toReference(target: TargetRow): Reference {
  const { organization_id, resource_type, resource_id, to_type, to_id } = target;
  if (to_type === null || to_id === null) throw new TypeError("a redaction names no reference");
  return { organization_id, from_type: resource_type, from_id: resource_id, to_type, to_id };
}

/** The records that the references lead to. A party has the pseudonym of the deletion. */
export function goneOf(references: readonly Reference[], pseudonym: string | undefined): Gone {
  return new Map(references.map(({ to_type, to_id }) => [nodeKey(to_type, to_id), pseudonym]));
}

/** The same deletion. Throws unless it is being processed. */
export function requireProcessing(deletion: Deletion): Deletion {
  const { deletionRequestId, status } = deletion;
  if (status === "processing") return deletion;
  throw new TypeError(`the deletion ${deletionRequestId} is ${status}, not processing`);
}
