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
