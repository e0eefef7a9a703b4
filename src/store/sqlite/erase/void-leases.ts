// Takes over the deletions that were in progress when the process that served the store before ended.

import type { Group } from "../commit/group.ts";

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
