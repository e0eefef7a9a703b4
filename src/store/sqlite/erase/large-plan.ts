// The plan of a large cascade, written in steps that each share a transaction with other writes. Until the last step
// the deletion is `pending` and nothing is erased. An obstacle ends the whole attempt, and the part of the plan that
// was written is removed again, also in steps.

import { isDeepStrictEqual } from "node:util";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { nodeKey } from "../../../domain/deletion/erasure.ts";
import type { RetentionFloor } from "../../../domain/retention/floor.ts";
import type { Claim } from "../../interface/store.ts";
import { beginPlannedDeletion, putOff } from "../../sql/erase/claim.ts";
import { extendPlan } from "../../sql/erase/write-plan.ts";
import { readExistingDeletion } from "../../sql/erase/deletion.ts";
import { listFloors } from "../../sql/erase/floor.ts";
import { findObliged } from "../../sql/erase/obligation.ts";
import { readConfidentialTypes } from "../../sql/access/organization.ts";
import {
  findFloorObstacle,
  findHoldObstacle,
  type Obstacle,
  planningOf,
  type PlanTarget,
} from "../../sql/erase/plan.ts";
import { forgetReferencesOf } from "../../sql/erase/restricted-reference.ts";
import type { Connection } from "../connection.ts";
import type { Group } from "../commit/group.ts";

/** How much of a larger cascade shares a transaction. */
export const planTargetsAtOnceMax = 200;

export interface PlanStep {
  readonly deletionRequestId: string;
  /** Without a claimant for a deletion that the caller is processing. */
  readonly claim: Omit<Claim, "claimant"> & { readonly claimant: string | undefined };
}

/** A step of a plan that was collected by these rules. */
export interface CollectedStep extends PlanStep {
  readonly floors: readonly RetentionFloor[];
}

/** Made again at once: a hold or a change of a confidential report must not delay a deletion. */
function planChanged(now: number): Obstacle {
  return { waitingFor: "a plan that is made again", held: false, retryAt: now };
}

const rulesChanged: Obstacle = { waitingFor: "a plan by the changed retention rules", held: false };

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
  step: CollectedStep & { readonly targets: readonly PlanTarget[] },
): PlanStepResult {
  const { deletionRequestId, claim, targets } = step;
  const deletion = connection.perform(readExistingDeletion, deletionRequestId);
  if (!isPlannedBy(connection, deletion, claim)) return "lost";
  const obstacle = findObstacleOfStep(connection, deletion, step);
  if (obstacle !== undefined) {
    connection.perform(putOff, deletion, obstacle, claim.now);
    return "obstacle";
  }
  connection.perform(extendPlan, deletion, targets);
  connection.run(extendPlanning, deletionRequestId, claim.leaseUntil);
  connection.run(extendLease, deletionRequestId, claim.leaseUntil);
  return "added";
}

/**
 * Since the plan was collected, records may have changed and holds may have been placed. All but the root, which is closed to
 * writes while its deletion is open.
 */
function findObstacleOfStep(
  connection: Connection,
  deletion: Deletion,
  { claim, floors, targets }: CollectedStep & { readonly targets: readonly PlanTarget[] },
): Obstacle | undefined {
  if (haveRulesChanged(connection, deletion, floors)) return rulesChanged;
  const confidential = connection.perform(readConfidentialTypes, deletion.organizationId);
  const planning = planningOf(deletion, claim.now, confidential);
  const nodes = targets.map(({ record }) => record);
  const held = connection.perform(findHoldObstacle, nodes, planning);
  if (held !== undefined) return held;
  const root = nodeKey(deletion.resourceType, deletion.resourceId);
  const erase = targets
    .filter(({ record, reference }) => reference === undefined && record !== root)
    .map(({ record }) => record);
  const floored = connection.perform(findFloorObstacle, erase, planning, floors);
  if (floored !== undefined) return floored;
  const unrestricted = targets.filter(({ restricted }) => !restricted);
  const open = unrestricted.map(({ record }) => record);
  const obliged = connection.perform(findObliged, open, planning);
  return obliged.size === 0 ? undefined : planChanged(claim.now);
}

/** Only while the deletion is pending: one that is being processed is not stopped by a new rule. */
function haveRulesChanged(
  connection: Connection,
  { status, organizationId }: Deletion,
  floors: readonly RetentionFloor[],
): boolean {
  if (status !== "pending") return false;
  return !isDeepStrictEqual(connection.perform(listFloors, organizationId), floors);
}

/** The last step: the deletion becomes `processing`. Undefined if it was lost, or if a rule has changed. */
export function beginPlanned(
  { connection }: Group,
  { deletionRequestId, claim, floors }: CollectedStep & { readonly claim: Claim },
): Deletion | undefined {
  const deletion = connection.perform(readExistingDeletion, deletionRequestId);
  if (deletion.status !== "pending" || !isPlannedBy(connection, deletion, claim)) return undefined;
  if (haveRulesChanged(connection, deletion, floors)) {
    connection.perform(putOff, deletion, rulesChanged, claim.now);
    return undefined;
  }
  return connection.perform(beginPlannedDeletion, deletion, claim);
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
  connection.perform(forgetReferencesOf, deletionRequestId);
  return connection.run(removeTargets, deletionRequestId, planTargetsAtOnceMax);
}

function isPlannedBy(
  connection: Connection,
  { deletionRequestId }: Deletion,
  { claimant }: PlanStep["claim"],
): boolean {
  return connection.get(findClaimant, deletionRequestId, claimant ?? null) !== undefined;
}
