// Stores a worker's claim on a deletion: claimed, begun with a complete plan, or put off because of an obstacle.
// Choosing the next deletion is each engine's own.

import { approvalWait } from "../../domain/deletion/approval.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { limits } from "../../domain/limits.ts";
import { untilApproved } from "../row/deletion-row.ts";
import type { Claim } from "../store.ts";
import { auditDeletion, readExistingDeletion } from "./deletion.ts";
import type { Obstacle } from "./plan.ts";
import { run, type Statements } from "./statements.ts";

const setClaimed = `
  UPDATE deletion SET
    status = 'processing', started_at = coalesce(started_at, $2), attempts = attempts + 1,
    lease_until = $3, claimant = $4, waiting_for = NULL, held = false, floor_until = NULL,
    next_attempt_at = NULL
  WHERE deletion_request_id = $1`;

const setWaiting = `
  UPDATE deletion SET waiting_for = $1, held = $2, next_attempt_at = $3, floor_until = $4,
    claimant = CASE status WHEN 'pending' THEN NULL ELSE claimant END
  WHERE deletion_request_id = $5`;

/** A deletion that awaits an approval is not due; this puts one off again that something else has made due. */
export const notApproved: Obstacle = {
  waitingFor: approvalWait,
  held: false,
  retryAt: untilApproved,
};

export function* takeDeletion(
  deletionRequestId: string,
  { now, leaseUntil, claimant }: Claim,
): Statements<Deletion> {
  yield* run(setClaimed, deletionRequestId, now, leaseUntil, claimant);
  return yield* readExistingDeletion(deletionRequestId);
}

/** In the transaction that completes its plan, so that no deletion is processing without one. */
export function* beginDeletion(deletion: Deletion, claim: Claim): Statements<Deletion> {
  const begun = yield* takeDeletion(deletion.deletionRequestId, claim);
  const act = { actor: "worker", now: claim.now };
  yield* auditDeletion(deletion, { action: "start", detail: {}, act });
  return begun;
}

/** Also for a deletion that is processing: a related record that arrived meanwhile may be held, or under a floor. */
export function* putOff(
  { deletionRequestId }: Deletion,
  { waitingFor, held, floorUntil, retryAt }: Obstacle,
  now: number,
): Statements<void> {
  const until =
    floorUntil === undefined
      ? (retryAt ?? now + limits.heldDeletionRetryMs)
      : Math.min(floorUntil, now + limits.flooredDeletionRetryMs);
  yield* run(setWaiting, waitingFor, held, until, floorUntil ?? null, deletionRequestId);
}
