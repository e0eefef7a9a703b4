// Stores the result of a worker's claim on a deletion: claimed, begun with a complete plan, or postponed because of an
// obstacle.

import { approvalWait, type Deletion } from "../../../domain/deletion/deletion.ts";
import { limits } from "../../../domain/limits.ts";
import { type DeletionRow, untilApproved } from "../../row/deletion-row.ts";
import type { Claim } from "../../interface/deletion.ts";
import { auditActs } from "../trail/audit.ts";
import { inOrderOf, noteOfDeletion } from "../deletion/deletion.ts";
import { named, namedDeletion } from "../statement/named.ts";
import type { Obstacle } from "./plan.ts";
import { all, Rows, run, type Statements, scalar } from "../statement/statements.ts";

const setClaimed = `
  UPDATE deletion SET
    status = 'processing', started_at = coalesce(started_at, $3), attempts = attempts + 1,
    lease_until = $4, claimant = $5, waiting_for = NULL, held = false, floor_until = NULL,
    next_attempt_at = NULL, plan_end = coalesce(named.plan_end, deletion.plan_end),
    cursor = CASE WHEN named.plan_end IS NULL THEN cursor ELSE NULL END
  FROM ${named("id", "plan_end bigint")}
  WHERE ${namedDeletion}
  --sqlite RETURNING *
  --postgres RETURNING deletion.*
  `;

const setCursor = `UPDATE deletion SET cursor = $2 WHERE deletion_request_id = $1`;

/** Stores the progress, and extends the lease. */
const setProgress = `
  UPDATE deletion SET cursor = $2,
    --sqlite lease_until = max(lease_until, $3)
    --postgres lease_until = greatest(lease_until, $3)
  WHERE deletion_request_id = $1`;

const readCursor = `SELECT cursor FROM deletion WHERE deletion_request_id = $1`;

const setWaiting = `
  UPDATE deletion SET waiting_for = named.waiting_for, held = named.held,
    next_attempt_at = named.next_attempt_at, floor_until = named.floor_until,
    claimant = CASE status WHEN 'pending' THEN NULL ELSE claimant END
  FROM ${named("id", "waiting_for", "held boolean", "next_attempt_at bigint", "floor_until bigint")}
  WHERE ${namedDeletion}`;

/** If anything has made a deletion due that awaits an approval, this postpones it again. */
export const notApproved: Obstacle = {
  waitingFor: approvalWait,
  held: false,
  retryAt: untilApproved,
};

/** Claims deletions that already have a plan. */
export function* takeDeletions(
  ids: readonly string[],
  claim: Claim,
): Statements<readonly Deletion[]> {
  const rows = ids.map((id) => [id, null] as const);
  return yield* take(rows, claim);
}

function* take(
  rows: readonly (readonly [id: string, planEnd: number | null])[],
  { now, leaseUntil, claimant }: Claim,
): Statements<readonly Deletion[]> {
  if (rows.length === 0) return [];
  const args = [new Rows(rows, 2), now, leaseUntil, claimant] as const;
  const taken = yield* all<DeletionRow>(setClaimed, ...args);
  const ids = rows.map(([id]) => id);
  return inOrderOf(ids, taken);
}

interface Complete {
  readonly deletion: Deletion;
  /** The plan, unless it was written before. */
  readonly targets?: readonly unknown[];
}

/** Must run in the transaction that completes the plans, so that no deletion is processing without a plan. */
export function* beginDeletions(
  planned: readonly Complete[],
  claim: Claim,
): Statements<readonly Deletion[]> {
  const rows = planned.map(({ deletion, targets }) => {
    return [deletion.deletionRequestId, targets?.length ?? null] as const;
  });
  const begun = yield* take(rows, claim);
  if (begun.length === 0) return begun;
  const act = { actor: "worker", now: claim.now };
  const notes = begun.map((deletion) => noteOfDeletion(deletion, "start", {}));
  yield* auditActs(notes.map((note) => ({ ...act, note })));
  return begun;
}

/** Stores where the current step of a deletion continues; null at the end of the step. */
export function* storeCursor(
  { deletionRequestId }: Deletion,
  cursor: string | null,
): Statements<void> {
  yield* run(setCursor, deletionRequestId, cursor);
}

/** Stores where the verification of a deletion continues; undefined if it is not within a record. */
export function* storeVerified(
  { deletionRequestId }: Deletion,
  cursor: object | undefined,
  now: number,
): Statements<void> {
  const stored = cursor === undefined ? null : JSON.stringify(cursor);
  yield* run(setProgress, deletionRequestId, stored, now + limits.deletionLeaseMs);
}

export function* readCursorOf({
  deletionRequestId,
}: Pick<Deletion, "deletionRequestId">): Statements<string | null> {
  return (yield* scalar<string | null>(readCursor, deletionRequestId)) ?? null;
}

/** Postpones one that is processing, too: a related record that has arrived may be under a hold or a floor. */
export function* postpone(deletion: Deletion, obstacle: Obstacle, now: number): Statements<void> {
  yield* postponeAll([{ deletion, obstacle }], now);
}

export interface WaitingDeletion {
  readonly deletion: Deletion;
  readonly obstacle: Obstacle;
}

export function* postponeAll(waiting: readonly WaitingDeletion[], now: number): Statements<void> {
  if (waiting.length === 0) return;
  const rows = waiting.map(({ deletion, obstacle }) => {
    const { waitingFor, held, floorUntil, retryAt } = obstacle;
    const retryMs = held ? limits.heldDeletionRetryMs : limits.waitingDeletionRetryMs;
    const until =
      floorUntil === undefined
        ? (retryAt ?? now + retryMs)
        : Math.min(floorUntil, now + limits.flooredDeletionRetryMs);
    return [deletion.deletionRequestId, waitingFor, held, until, floorUntil ?? null];
  });
  yield* run(setWaiting, new Rows(rows, 5));
}
