// Plans large cascades beside the writer: the file thread collects the plan in a separate read transaction, and the
// writer stores it in steps that each share a transaction with other writes. Until the last step the deletion is
// `pending` and nothing is erased. An obstacle ends the whole attempt.
//
// state       what happens                                              next
// removing    the part of a plan from an earlier attempt is removed     collecting
// collecting  the file thread follows the relations                     adding; blocked: a hold, a floor, too large
// adding      the plan is written part by part                          begun; lost; blocked by what changed meanwhile
// behind      the index of parties advances                             adding
// begun       the deletion is `processing`
// lost        it was cancelled: the part that was written is removed
// blocked     it is `pending` and states why; the part that was written is removed

import { isDeepStrictEqual } from "node:util";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { type ErasurePlan, nodeKey } from "../../../domain/deletion/erasure.ts";
import { keyText, type RecordKey } from "../../../domain/record/record-write.ts";
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
import { SerialQueue } from "../../../basics/serial-queue.ts";
import { limits } from "../../../domain/limits.ts";
import type { PerformOperation } from "../commit/operation.ts";
import type { FileTasks } from "../file/file-tasks.ts";

/** How many targets of a larger cascade share a transaction. */
export const planTargetsAtOnceMax = 200;

/** How many pages of records that name the party, and have arrived meanwhile, the last step reads. */
const pagesMax = 4;

interface PlanStep {
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
type PlanStepResult = Deletion | "added" | "behind" | "lost" | "obstacle";

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
  const found = parties?.obstacleOf(deletion, undefined);
  if (found === "later") {
    connection.run(extendClaim, deletionRequestId, leaseUntil);
    return "behind";
  }
  if (found !== undefined) {
    connection.perform(postpone, deletion, found === "large" ? planChanged(now) : found, now);
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

interface LargePlannerParts {
  readonly perform: PerformOperation;
  /** Advances the index of parties for a limited time. */
  readonly indexParties: () => Promise<void>;
  readonly collector: Pick<FileTasks, "ask">;
}

export class LargePlanner {
  readonly #parts: LargePlannerParts;
  /** The file thread has one plan at a time. */
  readonly #calls = new SerialQueue();

  constructor(parts: LargePlannerParts) {
    this.#parts = parts;
  }

  /** Plans a deletion that a claim found to be large. Undefined if it was not begun. */
  begin(deletion: Deletion, claim: Claim): Promise<Deletion | undefined> {
    return this.#calls.run(async () => {
      await this.#removePlan(deletion);
      const begun = await this.#plan(deletion, deletion, claim);
      if (begun === undefined) await this.#removePlan(deletion);
      return begun;
    });
  }

  /** Adds the cascade of this record to the plan of a deletion that is `processing`. False if there was an obstacle. */
  async extend(deletion: Deletion, record: RecordKey, now: number): Promise<boolean> {
    const claim = { now, claimant: undefined };
    const extended = await this.#calls.run(() => this.#plan(deletion, record, claim));
    return extended !== undefined;
  }

  /** The deletion with its complete plan, unless it was lost or blocked. */
  async #plan(
    deletion: Deletion,
    { resourceType, resourceId }: Pick<RecordKey, "resourceType" | "resourceId">,
    { now, claimant }: Pick<Claim, "now"> & { readonly claimant: string | undefined },
  ): Promise<Deletion | undefined> {
    const { perform, collector } = this.#parts;
    const { deletionRequestId } = deletion;
    const startedAt = performance.now();
    const root = nodeKey(resourceType, resourceId);
    await collector.ask("collectPlan", root, deletion, now);
    for (;;) {
      const part = await collector.ask("nextPlanPart", planTargetsAtOnceMax);
      // Each step renews the lease.
      const later = now + Math.round(performance.now() - startedAt);
      const claim = { now: later, leaseUntil: later + limits.deletionLeaseMs, claimant };
      const result = await perform("addToPlan", { deletionRequestId, claim, part });
      if (typeof result === "object") return result;
      if (result === "behind") await this.#parts.indexParties();
      else if (result !== "added") return undefined;
    }
  }

  async #removePlan({ deletionRequestId }: Deletion): Promise<void> {
    let removed: number;
    do {
      removed = await this.#parts.perform("removePlan", deletionRequestId);
    } while (removed > 0);
  }
}
