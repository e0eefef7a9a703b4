// The plan of a large cascade, written in steps that each share a transaction with other writes. Until the last step
// the deletion is `pending` and nothing is erased. An obstacle ends the whole attempt, and the part of the plan that
// was written is removed again, also in steps.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import type { Claim } from "../../store.ts";
import { beginDeletion, putOff } from "../../sql/claim.ts";
import { readExistingDeletion } from "../../sql/deletion.ts";
import { findObstacle, type Obstacle, type PlanCounts, type PlanTarget } from "../../sql/plan.ts";
import { writePlan } from "./cascade.ts";
import type { Connection } from "../connection.ts";
import type { Group } from "../commit/group.ts";

/** How much of a larger cascade shares a transaction. */
export const planTargetsAtOnceMax = 200;

export interface PlanStep {
  readonly deletionRequestId: string;
  /** Without a claimant for a deletion that the caller is processing. */
  readonly claim: Omit<Claim, "claimant"> & { readonly claimant: string | undefined };
}

/** `lost`: the deletion was cancelled meanwhile, or another worker has claimed it. */
export type PlanStepResult = "added" | "lost" | "obstacle";

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

/** Also extends a plan that is being processed, if verification has found more targets. */
export function addToPlan(
  { connection }: Group,
  { deletionRequestId, claim, targets }: PlanStep & { readonly targets: readonly PlanTarget[] },
): PlanStepResult {
  const deletion = connection.perform(readExistingDeletion, deletionRequestId);
  if (!isPlannedBy(connection, deletion, claim)) return "lost";
  const nodes = targets.map(({ record }) => record);
  const obstacle = connection.perform(findObstacle, deletion.organizationId, nodes);
  if (obstacle !== undefined) {
    connection.perform(putOff, deletion, obstacle, claim.now);
    return "obstacle";
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
  const deletion = connection.perform(readExistingDeletion, deletionRequestId);
  if (deletion.status !== "pending" || !isPlannedBy(connection, deletion, claim)) return undefined;
  return connection.perform(beginDeletion, deletion, counts, claim);
}

/** Stores the obstacle that was found before the first step. */
export function postponePlan(
  { connection }: Group,
  { deletionRequestId, claim, obstacle }: PlanStep & { readonly obstacle: Obstacle },
): void {
  const deletion = connection.perform(readExistingDeletion, deletionRequestId);
  if (!isPlannedBy(connection, deletion, claim)) return;
  connection.perform(putOff, deletion, obstacle, claim.now);
}

/** Removes some targets of a deletion that is not being processed; returns how many. */
export function removePlan({ connection }: Group, deletionRequestId: string): number {
  const { status } = connection.perform(readExistingDeletion, deletionRequestId);
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
