// What claiming adds on SQLite: writers wait for the transaction, so it takes few deletions and small plans. The plan
// of a large cascade is written in steps (large-plan.ts).

import { limits } from "../../../domain/limits.ts";
import type { Claim } from "../../interface/deletion.ts";
import type { Claimed, Claiming } from "../../shared/claimer.ts";
import { claimDeletions as claimDue } from "../../sql/plan/claim-step.ts";
import type { PlanBounds } from "../../sql/plan/record-plans.ts";
import type { Group } from "../commit/group.ts";

/** The largest cascade that is planned in one transaction. */
export const planBounds: PlanBounds = { relationsMax: 200, bounded: true, shortHistories: true };
/** How much of the floors of an organization one transaction reads. */
const scan = { rowsMax: limits.floorScanRowsMax, historiesMax: 20 };

/** Marks a deletion whose plan is being written. Until the lease expires, no other claim finds it. */
const setPlanning = `
  UPDATE deletion SET
    waiting_for = 'the plan of a large cascade', held = 0, next_attempt_at = ?2, claimant = ?3
  WHERE deletion_request_id = ?1 AND status = 'pending'`;

export function claimDeletions({ connection }: Group, claim: Claim, claiming: Claiming): Claimed {
  const options = { ...claiming, bounds: { ...planBounds, scan } };
  const claimed = connection.perform(claimDue, claim, options);
  const [first] = claimed.large;
  if (first !== undefined) {
    connection.run(setPlanning, first.deletionRequestId, claim.leaseUntil, claim.claimant);
  }
  return claimed;
}

const voidLeases = `
  UPDATE deletion SET lease_until = 0, claimant = NULL
  WHERE status IN ('pending', 'processing') AND status = 'processing'
    AND lease_until IS NOT NULL`;

/** Removes plans that were being written, including those of deletions that were cancelled meanwhile. */
const removeUnfinishedPlans = `
  DELETE FROM deletion_target WHERE deletion_request_id IN (
    SELECT DISTINCT deletion_request_id FROM deletion_target
    EXCEPT SELECT deletion_request_id FROM deletion INDEXED BY deletion_due
      WHERE status IN ('pending', 'processing') AND status = 'processing')`;

const removeUnfinishedReferences = `
  DELETE FROM restricted_reference WHERE deletion_request_id IN (
    SELECT DISTINCT deletion_request_id FROM restricted_reference
    INTERSECT SELECT deletion_request_id FROM deletion INDEXED BY deletion_due
      WHERE status IN ('pending', 'processing') AND status = 'pending')`;

const voidPlanning = `
  UPDATE deletion SET next_attempt_at = NULL, claimant = NULL, waiting_for = NULL
  WHERE status IN ('pending', 'processing') AND status = 'pending' AND claimant IS NOT NULL`;

/** Only one process serves a store, so nobody else processes deletions when it starts. */
export function voidAllLeases({ connection }: Group): void {
  connection.run(voidLeases);
  connection.run(removeUnfinishedPlans);
  connection.run(removeUnfinishedReferences);
  connection.run(voidPlanning);
}
