// The plan of a large cascade, written down in steps that each share a transaction with what others write. Until the last
// step the deletion is `pending` and nothing is erased. What a step finds in the way ends the whole attempt, and what was
// written of the plan is removed again, in steps as well.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { limits } from "../../../domain/limits.ts";
import type { Claim } from "../../store.ts";
import { type Obstacle, type PlanTarget, toRecord, writePlan } from "./cascade.ts";
import { begin, type PlanCounts, wait } from "./claim.ts";
import type { Connection } from "../connection.ts";
import { readExistingDeletion } from "../deletion.ts";
import type { Group } from "../commit/group.ts";
import { findFirstHeld } from "../hold.ts";

/** How much of a larger cascade shares a transaction. */
export const planTargetsAtOnceMax = 200;

export interface PlanStep {
  readonly deletionRequestId: string;
  /** Without a claimant for the deletion of whoever asks, which is `processing`. */
  readonly claim: Omit<Claim, "claimant"> & { readonly claimant: string | undefined };
}

/** `lost`: it was cancelled meanwhile, or somebody else has claimed it. */
export type PlanStepResult = "added" | "lost" | "in the way";

const findClaimant = `
  SELECT 1 FROM deletion
  WHERE deletion_request_id = ?1
    AND (status = 'processing' AND (?2 IS NULL OR claimant = ?2) OR status = 'pending' AND claimant = ?2)`;

const extendPlanning = `
  UPDATE deletion SET next_attempt_at = ?2 WHERE deletion_request_id = ?1 AND status = 'pending'`;

const extendLease = `
  UPDATE deletion SET lease_until = max(lease_until, ?2)
  WHERE deletion_request_id = ?1 AND status = 'processing'`;

const removeTargets = `
  DELETE FROM deletion_target
  WHERE deletion_request_id = ?1 AND position IN (
    SELECT position FROM deletion_target WHERE deletion_request_id = ?1 ORDER BY position LIMIT ?2)`;

/** Also to a plan that is being processed, of which the verification has found more. */
export function addToPlan(
  { connection }: Group,
  { deletionRequestId, claim, targets }: PlanStep & { readonly targets: readonly PlanTarget[] },
): PlanStepResult {
  const deletion = readExistingDeletion(connection, deletionRequestId);
  if (!isPlannedBy(connection, deletion, claim)) return "lost";
  const { organizationId } = deletion;
  const hold = findFirstHeld(
    connection,
    organizationId,
    targets.map(({ record }) => toRecord(record)),
  );
  if (hold !== undefined) {
    const waitingFor = `a hold on ${hold.resourceType} ${hold.resourceId}`;
    const until = claim.now + limits.heldDeletionRetryMs;
    wait(connection, deletion, { waitingFor, held: true, until });
    return "in the way";
  }
  writePlan(connection, deletion, targets);
  connection.run(extendPlanning, deletionRequestId, claim.leaseUntil);
  connection.run(extendLease, deletionRequestId, claim.leaseUntil);
  return "added";
}

/** The last step: the deletion becomes `processing`. Undefined if it was lost. */
export function beginPlanned(
  { connection }: Group,
  {
    deletionRequestId,
    claim,
    counts,
  }: PlanStep & { readonly claim: Claim; readonly counts: PlanCounts },
): Deletion | undefined {
  const deletion = readExistingDeletion(connection, deletionRequestId);
  if (deletion.status !== "pending" || !isPlannedBy(connection, deletion, claim)) return undefined;
  return begin(connection, deletion, { claim, counts });
}

/** What a plan waits for, as it was found before the first step. */
export function postponePlan(
  { connection }: Group,
  { deletionRequestId, claim, obstacle }: PlanStep & { readonly obstacle: Obstacle },
): void {
  const deletion = readExistingDeletion(connection, deletionRequestId);
  if (!isPlannedBy(connection, deletion, claim)) return;
  wait(connection, deletion, { ...obstacle, until: claim.now + limits.heldDeletionRetryMs });
}

/** Removes some targets of a deletion that is not being processed; gives how many there were. */
export function removePlan(
  { connection }: Group,
  { deletionRequestId }: { readonly deletionRequestId: string },
): number {
  const { status } = readExistingDeletion(connection, deletionRequestId);
  if (status === "processing") return 0;
  return connection.run(removeTargets, deletionRequestId, planTargetsAtOnceMax);
}

function isPlannedBy(
  connection: Connection,
  { deletionRequestId }: Deletion,
  { claimant }: PlanStep["claim"],
): boolean {
  return connection.get(findClaimant, deletionRequestId, claimant ?? null) !== undefined;
}
