// The plan of a large cascade, written in steps that each share a transaction with other writes. Until the last step
// the deletion is `pending` and nothing is erased. An obstacle ends the whole attempt, and the part of the plan that
// was written is removed again, also in steps.

import { isDeepStrictEqual } from "node:util";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import type { NodeKey } from "../../../domain/deletion/erasure.ts";
import type { RetentionFloor } from "../../../domain/retention/floor.ts";
import type { Claim } from "../../interface/deletion.ts";
import { beginPlannedDeletion, postpone } from "../../sql/plan/claim.ts";
import { extendPlans } from "../../sql/plan/write-plan.ts";
import { readExistingDeletion } from "../../sql/deletion/deletion.ts";
import { listFloors } from "../../sql/retention/floor.ts";
import type { LongHistories } from "../../sql/retention/floor-origin.ts";
import { readObligations, findObliged } from "../../sql/plan/obligation.ts";
import { readConfidentialTypes } from "../../sql/access/organization.ts";
import {
  findFloorObstacle,
  findHeld,
  isObstacle,
  Obligations,
  type Obstacle,
  planningOf,
  type PlanTarget,
} from "../../sql/plan/plan.ts";
import { findPartyObstacle } from "../../sql/plan/party-obstacle.ts";
import { forgetReferencesOf } from "../../sql/plan/restricted-reference.ts";
import { get, type Statements } from "../../sql/statement/statements.ts";
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
  /** What was read of records with many changes: reading it again would delay writers. */
  readonly histories: LongHistories;
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

const findLater = `
  SELECT 1 FROM json_each($1) AS known
    CROSS JOIN record ON organization_id = known.value ->> 0
      AND resource_type = known.value ->> 1 AND resource_id = known.value ->> 2
    CROSS JOIN change ON change.record_no = record.record_no AND change_no > known.value ->> 3
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
  const after = isObstacle(part) ? 0 : part.upTo;
  const found = connection.perform(findPartyObstacle, deletion, { now, after, pagesMax });
  if (found === "behind") {
    connection.run(extendClaim, deletionRequestId, leaseUntil);
    return "behind";
  }
  const ofParty = found === "more" ? planChanged(now) : found;
  if (ofParty !== undefined) {
    connection.perform(postpone, deletion, ofParty, now);
    return "obstacle";
  }
  return connection.perform(beginPlannedDeletion, deletion, { now, leaseUntil, claimant });
}

/**
 * Since the plan was collected, rules and records may have changed, and holds may have been placed. So this checks all
 * records again except the root, which is closed to writes while its deletion is open. A new rule does not stop a
 * deletion that is being processed.
 */
function* findObstacleOf(
  deletion: Deletion,
  { floors, histories, targets }: PlanPart,
  now: number,
): Statements<Obstacle | undefined> {
  const { status, organizationId } = deletion;
  if (status === "pending" && !isDeepStrictEqual(yield* listFloors(organizationId), floors)) {
    return rulesChanged;
  }
  if (yield* haveChanged(histories)) return planChanged(now);
  const confidential = yield* readConfidentialTypes(organizationId);
  const planning = planningOf(deletion, now, confidential);
  const obligations = new Obligations(floors);
  yield* readObligations(obligations, recordsOf(targets), {
    organizationId,
    confidential,
    deletions: [deletion],
    shortHistories: false,
    histories,
  });
  const open = targets.filter(({ restricted }) => !restricted);
  const [erase, redact] = [
    targets.filter(({ record, reference }) => !reference && record !== planning.root),
    open.flatMap(({ record, reference }) => (reference ? [{ record, reference }] : [])),
  ];
  const obstacle =
    findHeld(recordsOf(targets), planning, obligations) ??
    findFloorObstacle({ erase: recordsOf(erase), redact }, planning, obligations);
  if (obstacle !== undefined) return obstacle;
  const obliged = findObliged(recordsOf(open), planning, obligations);
  return obliged.size === 0 ? undefined : planChanged(now);
}

function* haveChanged(histories: LongHistories): Statements<boolean> {
  const known = [...histories.values()].map(({ record, last }) => {
    return [record.organizationId, record.resourceType, record.resourceId, last];
  });
  return known.length > 0 && (yield* get(findLater, JSON.stringify(known))) !== undefined;
}

function recordsOf(targets: readonly PlanTarget[]): readonly NodeKey[] {
  return targets.map(({ record }) => record);
}

/** Removes some targets of a deletion that is not being processed; returns how many. */
export function removePlan({ connection }: Group, deletionRequestId: string): number {
  const { status } = connection.perform(readExistingDeletion, deletionRequestId);
  if (status === "processing") return 0;
  connection.perform(forgetReferencesOf, deletionRequestId);
  return connection.run(removeTargets, deletionRequestId, planTargetsAtOnceMax);
}
