// The proof that an erasure is complete: checks again, by other ways than those by which it was processed, and completes
// the deletion only if nothing is left. What it finds it adds to the plan; it erases nothing.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { limits } from "../../../domain/limits.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import { describeReceipt } from "../../row/audit-row.ts";
import type { Act, SealedReceipt } from "../../store.ts";
import { isObstacle, planFrom, targetsOf, writePlan } from "./cascade.ts";
import { wait, planRelationsAtOnceMax } from "./claim.ts";
import type { Connection } from "../connection.ts";
import { noteDeletion, readExistingDeletion } from "../deletion.ts";
import type { Group } from "../commit/group.ts";
import { fitsChain, storeReceipt } from "../receipt.ts";
import { reopenUnredacted } from "./unredacted.ts";

/** How many targets of a plan share a transaction that verifies them. */
export const verifiedTargetsAtOnceMax = 200;

/**
 * `found`: the plan was extended. `large`: it has to be, by the cascade of this record, in steps. `held`: what was found may not be touched. `moved`: the receipt no longer fits the chain,
 * and has to be signed anew.
 */
export type VerificationResult =
  | { readonly result: "moved" }
  | { readonly result: "clean" }
  | { readonly result: "found" }
  | { readonly result: "large"; readonly record: RecordKey }
  | { readonly result: "held"; readonly waitingFor: string };

export interface CompletionArgs {
  readonly deletionRequestId: string;
  readonly act: Act;
}

export interface SealedCompletion extends CompletionArgs {
  /** Left out only by tests of the engine. */
  readonly sealed?: SealedReceipt | undefined;
}

/** Targets to be erased of which anything is left: the record, a change of it, or a relation from or to it. */
const findLeft = `
  SELECT resource_type AS resourceType, resource_id AS resourceId
  FROM deletion_target AS target
  WHERE deletion_request_id = ?1 AND action = 'erase' AND position <= ?3 AND (
    EXISTS (
      SELECT 1 FROM relation
      WHERE organization_id = target.organization_id
        AND to_type = target.resource_type AND to_id = target.resource_id)
    OR EXISTS (
      SELECT 1 FROM relation
      WHERE organization_id = target.organization_id
        AND from_type = target.resource_type AND from_id = target.resource_id)
    OR EXISTS (
      SELECT 1 FROM record
      WHERE organization_id = target.organization_id
        AND resource_type = target.resource_type AND resource_id = target.resource_id)
    OR EXISTS (SELECT 1 FROM change WHERE change.record_no = target.record_no))
  ORDER BY position LIMIT ?2`;

/** The position of the last of the next targets, the root aside, if there are so many. */
const findEndOfPart = `
  SELECT position FROM deletion_target
  WHERE deletion_request_id = ?1 AND NOT (
    action = 'erase' AND resource_type = ?2 AND resource_id = ?3)
  ORDER BY position LIMIT 1 OFFSET ?4`;

/** The root's own target stays to the end; its id is in the deletion itself anyway. */
const removeTargetsButRoot = `
  DELETE FROM deletion_target
  WHERE deletion_request_id = ?1 AND position <= ?4 AND NOT (
    action = 'erase' AND resource_type = ?2 AND resource_id = ?3)`;

const removeTargets = `DELETE FROM deletion_target WHERE deletion_request_id = ?`;

const setCompleted = `
  UPDATE deletion SET
    status = 'completed', completed_at = ?2, waiting_for = NULL, held = 0,
    next_attempt_at = NULL, lease_until = NULL, claimant = NULL
  WHERE deletion_request_id = ?1 AND status = 'processing'`;

/** Beyond every position. */
const anyPosition = Number.MAX_SAFE_INTEGER;

/**
 * The first verification, of so many targets at a time; `partly` if there are more. The targets of which nothing is left go
 * too, for they hold the ids of what was erased; so the bytes of the ids can be gone from the files before the deletion is
 * complete.
 */
export function verifyErasure(
  { connection }: Group,
  { deletionRequestId, act }: CompletionArgs,
): VerificationResult | { readonly result: "partly" } {
  const deletion = readProcessing(connection, deletionRequestId);
  const root = [deletion.resourceType, deletion.resourceId] as const;
  const last = connection.get<{ position: number }>(
    findEndOfPart,
    deletionRequestId,
    ...root,
    verifiedTargetsAtOnceMax - 1,
  );
  const upTo = last?.position ?? anyPosition;
  const verification = verifyTargets(connection, deletion, { act, upTo });
  if (verification.result !== "clean") return verification;
  connection.run(removeTargetsButRoot, deletionRequestId, ...root, upTo);
  return last === undefined ? verification : { result: "partly" };
}

/** The last look, and the completion in the same transaction. */
export function completeDeletion(
  group: Group,
  { deletionRequestId, act, sealed }: SealedCompletion,
): VerificationResult | Deletion {
  const { connection } = group;
  const deletion = readProcessing(connection, deletionRequestId);
  const verification = verifyTargets(connection, deletion, { act, upTo: anyPosition });
  if (verification.result !== "clean") return verification;
  if (sealed !== undefined && !fits(connection, deletion, sealed)) return { result: "moved" };
  connection.run(removeTargets, deletionRequestId);
  connection.run(setCompleted, deletionRequestId, act.now);
  group.deletionsChanged();
  if (sealed !== undefined) storeReceipt(connection, sealed, act);
  const { organizationId, erased, redacted } = deletion;
  const detail = { erased, redacted, ...describeReceipt(sealed) };
  noteDeletion(connection, { organizationId, deletionRequestId, action: "complete", detail, act });
  return readExistingDeletion(connection, deletionRequestId);
}

/** At the targets up to this position. */
function verifyTargets(
  connection: Connection,
  deletion: Deletion,
  { act, upTo }: { readonly act: Act; readonly upTo: number },
): VerificationResult {
  const { deletionRequestId, organizationId } = deletion;
  const left = connection.all<Pick<RecordKey, "resourceType" | "resourceId">>(
    findLeft,
    deletionRequestId,
    limits.erasureStepRecordsMax,
    upTo,
  );
  let relationsLeft: number = planRelationsAtOnceMax;
  for (const [index, found] of left.entries()) {
    const record = { organizationId, ...found };
    const planned = planFrom(connection, record, relationsLeft);
    if (planned === undefined)
      return index === 0 ? { result: "large", record } : { result: "found" };
    if (isObstacle(planned)) {
      wait(connection, deletion, { ...planned, until: act.now + limits.heldDeletionRetryMs });
      return { result: "held", waitingFor: planned.waitingFor };
    }
    const targets = targetsOf(planned);
    writePlan(connection, deletion, targets);
    relationsLeft -= targets.length;
  }
  if (left.length > 0) return { result: "found" };
  const unredacted = reopenUnredacted(connection, deletionRequestId, upTo);
  return { result: unredacted > 0 ? "found" : "clean" };
}

/** What was signed has to be what is so now. */
function fits(connection: Connection, deletion: Deletion, sealed: SealedReceipt): boolean {
  const { erased, references_removed } = sealed.receipt;
  return (
    fitsChain(connection, sealed) &&
    references_removed === deletion.redacted &&
    JSON.stringify(erased) === JSON.stringify(deletion.erased)
  );
}

function readProcessing(connection: Connection, deletionRequestId: string): Deletion {
  const deletion = readExistingDeletion(connection, deletionRequestId);
  if (deletion.status !== "processing") {
    throw new TypeError(`the deletion ${deletionRequestId} is ${deletion.status}, not processing`);
  }
  return deletion;
}
