// The plan of a large cascade, written in steps that each share a transaction with other writes. Until the last step
// the deletion is `pending` and nothing is erased. An obstacle ends the whole attempt, and the part of the plan that
// was written is removed again, also in steps.

import { isDeepStrictEqual } from "node:util";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import type { ErasurePlan } from "../../../domain/deletion/erasure.ts";
import { keyText } from "../../../domain/record/record-write.ts";
import type { RetentionFloor } from "../../../domain/retention/floor.ts";
import type { Claim } from "../../interface/deletion.ts";
import { beginDeletions, postpone } from "../../sql/plan/claim.ts";
import { extendPlans } from "../../sql/plan/write-plan.ts";
import { readExistingDeletion } from "../../sql/deletion/deletion.ts";
import { listFloors } from "../../sql/retention/floor.ts";
import { readObligations, findObliged } from "../../sql/plan/obligation.ts";
import { readConfidentialTypes } from "../../sql/access/organization.ts";
import {
  findObstacles,
  isObstacle,
  Obligations,
  type Obstacle,
  obstacleOf,
  planningOf,
  type PlanTarget,
  toKey,
} from "../../sql/plan/plan.ts";
import { allPages, readPartyObstacles } from "../../sql/plan/party-obstacle.ts";
import { forgetReferencesOf } from "../../sql/plan/restricted-reference.ts";
import { get, type Statements } from "../../sql/statement/statements.ts";
import { keyRows, namedRecords } from "../../sql/statement/named.ts";
import { type DeletionRow, toDeletion } from "../../row/deletion-row.ts";
import type { Group } from "../commit/group.ts";

/** How many targets of a larger cascade share a transaction. */
export const planTargetsAtOnceMax = 200;

/** How many pages of records that name the party, and have arrived meanwhile, the last step reads. */
const pagesMax = 4;

export interface PlanStep {
  readonly deletionRequestId: string;
  /** The claim. Without a claimant, the caller is already processing the deletion. */
  readonly claim: Omit<Claim, "claimant"> & { readonly claimant: string | undefined };
  /** The next part of the plan, or the obstacle that was found. */
  readonly part: PlanPart | Obstacle;
}

export interface PlanPart {
  /** The rules that the plan was made by. */
  readonly floors: readonly RetentionFloor[];
  /** The latest arrival number when the plan was collected. */
  readonly upTo: number;
  /** Empty when the plan is complete: then a deletion that is pending becomes `processing`. */
  readonly targets: readonly PlanTarget[];
}

/** The plan is made again at once: a hold, or a change of a confidential report, must not delay a deletion. */
function planChanged(now: number): Obstacle {
  return { waitingFor: "a plan that is made again", held: false, retryAt: now };
}

const rulesChanged: Obstacle = { waitingFor: "a plan by the changed retention rules", held: false };

/** The deletion with its plan. `lost`: cancelled, or claimed by another. `behind`: the index has to advance first. */
export type PlanStepResult = Deletion | "added" | "behind" | "lost" | "obstacle";

/** Marks a deletion whose plan is being written. Until the lease expires, no other claim finds it. */
const setPlanning = `
  UPDATE deletion SET
    waiting_for = 'the plan of a large cascade', held = 0, next_attempt_at = ?2, claimant = ?3
  WHERE deletion_request_id = ?1 AND status = 'pending'`;

const findLater = `
  SELECT 1 FROM ${namedRecords} CROSS JOIN record USING (organization_id, resource_type, resource_id)
    CROSS JOIN change ON change.record_no = record.record_no AND change_no > $4
  LIMIT 1`;

const findPlanned = `
  SELECT * FROM deletion
  WHERE deletion_request_id = ?1
    AND (status = 'processing' AND (?2 IS NULL OR claimant = ?2) OR status = 'pending' AND claimant = ?2)`;

const extendClaim = `
  UPDATE deletion SET
    next_attempt_at = CASE status WHEN 'pending' THEN ?2 ELSE next_attempt_at END,
    lease_until = CASE status WHEN 'processing' THEN max(lease_until, ?2) ELSE lease_until END
  WHERE deletion_request_id = ?1`;

const removeTargets = `
  DELETE FROM deletion_target
  WHERE deletion_request_id = ?1 AND position IN (
    SELECT position FROM deletion_target WHERE deletion_request_id = ?1 ORDER BY position LIMIT ?2)`;

/** False if it is no longer pending. */
export function markPlanning({ connection }: Group, id: string, claim: Claim): boolean {
  return connection.run(setPlanning, id, claim.leaseUntil, claim.claimant) > 0;
}

/** Extends a plan that is being processed, too, if verification has found more targets. */
export function addToPlan(
  { connection }: Group,
  { deletionRequestId, claim, part }: PlanStep,
): PlanStepResult {
  const { now, leaseUntil, claimant } = claim;
  const row = connection.get<DeletionRow>(findPlanned, deletionRequestId, claimant ?? null);
  if (row === undefined) return "lost";
  const deletion = toDeletion(row);
  const obstacle = isObstacle(part)
    ? part
    : connection.perform(findObstacleOf, deletion, part, now);
  if (obstacle !== undefined) {
    connection.perform(postpone, deletion, obstacle, now);
    return "obstacle";
  }
  const targets = isObstacle(part) ? [] : part.targets;
  if (targets.length > 0) {
    connection.perform(extendPlans, [{ deletion, targets }]);
    connection.run(extendClaim, deletionRequestId, leaseUntil);
    return "added";
  }
  if (deletion.status !== "pending" || claimant === undefined) return deletion;
  const bounds = { ...allPages, pagesMax, after: isObstacle(part) ? 0 : part.upTo };
  const parties = connection.perform(readPartyObstacles, [deletion], now, bounds);
  const partyObstacle = parties?.obstacleOf(deletion, undefined);
  if (partyObstacle === "later") {
    connection.run(extendClaim, deletionRequestId, leaseUntil);
    return "behind";
  }
  if (partyObstacle !== undefined) {
    connection.perform(
      postpone,
      deletion,
      partyObstacle === "large" ? planChanged(now) : partyObstacle,
      now,
    );
    return "obstacle";
  }
  const claimed = { now, leaseUntil, claimant };
  const [begun = deletion] = connection.perform(beginDeletions, [{ deletion }], claimed);
  return begun;
}

/**
 * Since the plan was collected, rules and records may have changed, and holds may have been placed, so this checks the
 * records again. A long history is not read again if nothing was added to it. A new rule does not stop a deletion that
 * is being processed.
 */
function* findObstacleOf(
  deletion: Deletion,
  { floors, upTo, targets }: PlanPart,
  now: number,
): Statements<Obstacle | undefined> {
  const { status, organizationId } = deletion;
  if (status === "pending" && !isDeepStrictEqual(yield* listFloors(organizationId), floors)) {
    return rulesChanged;
  }
  const confidential = yield* readConfidentialTypes(organizationId);
  const planning = planningOf(deletion, now, confidential);
  const obligations = new Obligations(floors);
  const nodes = targets.map(({ record }) => record);
  yield* readObligations(obligations, nodes, {
    organizationId,
    confidential,
    deletions: [deletion],
    shortHistories: true,
  });
  const keys = nodes.map((node) => toKey(organizationId, node));
  const long = keys.filter((key) => obligations.long.has(keyText(key)));
  if (long.length > 0 && (yield* get(findLater, keyRows(long), upTo)) !== undefined) {
    return planChanged(now);
  }
  const obstacle = obstacleOf(findObstacles(planOf(targets), planning, obligations), now);
  if (obstacle !== undefined) return obstacle;
  const open = targets.flatMap(({ record, restricted }) => (restricted ? [] : [record]));
  return findObliged(open, planning, obligations).size === 0 ? undefined : planChanged(now);
}

function planOf(targets: readonly PlanTarget[]): ErasurePlan {
  return {
    erase: targets.flatMap(({ record, reference }) => (reference === undefined ? [record] : [])),
    redact: targets.flatMap(({ record, reference }) => (reference ? [{ record, reference }] : [])),
  };
}

/** Removes some targets of a deletion that is not being processed; returns how many. */
export function removePlan({ connection }: Group, deletionRequestId: string): number {
  const { status } = connection.perform(readExistingDeletion, deletionRequestId);
  if (status === "processing") return 0;
  connection.perform(forgetReferencesOf, deletionRequestId);
  return connection.run(removeTargets, deletionRequestId, planTargetsAtOnceMax);
}
