// A worker claims a deletion: one whose worker has ended, or the next one that is due and has no hold. A deletion
// becomes `processing` in the transaction that completes its plan, so neither exists without the other. The plan of a
// large cascade is written beforehand, in steps (large-plan.ts); the retention floors of an organization are read beforehand.

import { awaitsApproval } from "../../../domain/deletion/approval.ts";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import type { ErasurePlan } from "../../../domain/deletion/erasure.ts";
import { isOfOrganization } from "../../../domain/deletion/organization-deletion.ts";
import { limits } from "../../../domain/limits.ts";
import { type DeletionRow, toDeletion } from "../../row/deletion-row.ts";
import type { Claim } from "../../store.ts";
import { beginDeletion, notApproved, putOff, takeDeletion } from "../../sql/claim.ts";
import { type FloorScan, isComplete, scanFloors } from "../../sql/organization-floors.ts";
import { planOrganization, readingFloors } from "../../sql/organization-obstacle.ts";
import { isObstacle, type Obstacle, type Planning, planningOf, targetsOf } from "../../sql/plan.ts";
import { planFrom, writePlan } from "./cascade.ts";
import type { Connection } from "../connection.ts";
import type { Group } from "../commit/group.ts";

/** The largest cascade that is planned in one transaction. */
export const planRelationsAtOnceMax = 200;
/** Histories that a step reads of a restricted set, and such steps in one transaction: one for each type with a floor, at least. */
const smallHistoriesMax = 20;
const smallStepsMax = 12;

const findAbandoned = `
  SELECT deletion_request_id FROM deletion INDEXED BY deletion_due
  WHERE status IN ('pending', 'processing') AND status = 'processing'
    AND (next_attempt_at <= ?1 OR (next_attempt_at IS NULL AND lease_until < ?1))
  ORDER BY started_at LIMIT 1`;

/** Ordered by when they can be tried again, so that deletions that wait for a hold or a floor don't starve others. */
const findDue = `
  SELECT * FROM deletion INDEXED BY deletion_due
  WHERE status IN ('pending', 'processing') AND status = 'pending'
    AND coalesce(next_attempt_at, due_at) <= ?1 AND due_at <= ?1
  ORDER BY coalesce(next_attempt_at, due_at), deletion_request_id LIMIT ?2`;

const setPlanning = `
  UPDATE deletion SET
    waiting_for = ?4, held = 0, next_attempt_at = ?2, claimant = ?3
  WHERE deletion_request_id = ?1 AND status = 'pending'`;

/**
 * `large`: its plan must be written in steps; until the lease expires no other claim finds it. `waiting`: all that were checked
 * have to wait; more may be due.
 */
export type Claimed =
  | { readonly result: "claimed" | "large"; readonly deletion: Deletion }
  | { readonly result: "waiting" };

export function claimDeletion({ connection }: Group, claim: Claim): Claimed | undefined {
  const abandoned = connection.get<Pick<DeletionRow, "deletion_request_id">>(
    findAbandoned,
    claim.now,
  );
  if (abandoned !== undefined) {
    const { deletion_request_id: id } = abandoned;
    return { result: "claimed", deletion: connection.perform(takeDeletion, id, claim) };
  }
  // Usually the first one can be claimed.
  for (const rowsMax of [1, limits.dueDeletionsCheckedMax]) {
    const due = connection.all<DeletionRow>(findDue, claim.now, rowsMax);
    for (const row of due) {
      const started = start(connection, toDeletion(row), claim);
      if (started !== undefined) return started;
    }
    if (due.length < rowsMax) return undefined;
  }
  return { result: "waiting" };
}

/** A restricted set is usually small: its floors are read at once, up to a limit. */
function planSmallSet(
  connection: Connection,
  planning: Planning,
): ErasurePlan | Obstacle | undefined {
  if (planning.restrictedOf === undefined) return undefined;
  const bounds = { rowsMax: planRelationsAtOnceMax, historiesMax: smallHistoriesMax };
  let scan: FloorScan | undefined;
  for (let steps = 0; steps < smallStepsMax; steps += 1) {
    scan = connection.perform(scanFloors, planning, scan, bounds);
    if (!isComplete(scan)) continue;
    const planned = connection.perform(planOrganization, planning, scan);
    return planned === "floors" ? undefined : planned;
  }
  return undefined;
}

/** Undefined if more would have to be read than one transaction may. */
function plan(
  connection: Connection,
  deletion: Deletion,
  planning: Planning,
): ErasurePlan | Obstacle | undefined {
  if (isOfOrganization(deletion)) {
    const planned = connection.perform(planOrganization, planning, undefined);
    return planned === "floors" ? planSmallSet(connection, planning) : planned;
  }
  const bounds = { relationsMax: planRelationsAtOnceMax, bounded: true };
  return planFrom(connection, deletion, planning, bounds);
}

/** Undefined if there is an obstacle, which is then stored with the deletion. */
function start(connection: Connection, deletion: Deletion, claim: Claim): Claimed | undefined {
  if (awaitsApproval(deletion)) {
    connection.perform(putOff, deletion, notApproved, claim.now);
    return undefined;
  }
  const planned = plan(connection, deletion, planningOf(deletion, claim.now));
  if (planned === undefined) {
    const waitingFor = isOfOrganization(deletion) ? readingFloors : "the plan of a large cascade";
    const { leaseUntil, claimant } = claim;
    connection.run(setPlanning, deletion.deletionRequestId, leaseUntil, claimant, waitingFor);
    return { result: "large", deletion };
  }
  if (isObstacle(planned)) {
    connection.perform(putOff, deletion, planned, claim.now);
    return undefined;
  }
  writePlan(connection, deletion, targetsOf(planned));
  const begun = connection.perform(beginDeletion, deletion, claim);
  return { result: "claimed", deletion: begun };
}
