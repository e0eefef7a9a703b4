// A worker claims deletions: those whose worker has ended, or the next ones that are due and have no obstacle. The plan of a large
// cascade is written beforehand, in steps (large-plan.ts).

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { limits } from "../../../domain/limits.ts";
import type { DeletionRow } from "../../row/deletion-row.ts";
import type { Claim } from "../../interface/store.ts";
import { takeDeletions } from "../../sql/erase/claim.ts";
import { planDeletions, type PlanBounds } from "../../sql/erase/plan-step.ts";
import type { Connection } from "../connection.ts";
import type { Group } from "../commit/group.ts";

/** Deletions that one transaction claims and plans. */
const claimedAtOnceMax = 64;
/** The largest cascade that is planned in one transaction. */
export const planBounds: PlanBounds = { relationsMax: 200, bounded: true, shortHistories: true };
/** What one transaction reads of the floors of an organization. */
const scan = { rowsMax: limits.floorScanRowsMax, historiesMax: 20 };

const findAbandoned = `
  SELECT deletion_request_id FROM deletion INDEXED BY deletion_due
  WHERE status IN ('pending', 'processing') AND status = 'processing'
    AND (next_attempt_at <= ?1 OR (next_attempt_at IS NULL AND lease_until < ?1))
  ORDER BY started_at LIMIT ?2`;

/** Ordered by when they can be tried again, so that deletions that wait for a hold or a floor don't starve others. */
const findDue = `
  SELECT * FROM deletion INDEXED BY deletion_due
  WHERE status IN ('pending', 'processing') AND status = 'pending'
    AND coalesce(next_attempt_at, due_at) <= ?1 AND due_at <= ?1
  ORDER BY coalesce(next_attempt_at, due_at), deletion_request_id LIMIT ?2`;

const setPlanning = `
  UPDATE deletion SET
    waiting_for = 'the plan of a large cascade', held = 0, next_attempt_at = ?2, claimant = ?3
  WHERE deletion_request_id = ?1 AND status = 'pending'`;

/** None claimed: those that were checked have to wait, and more may be due; without any checked, nothing is due. */
export interface Claimed {
  readonly claimed: readonly Deletion[];
  /** Its plan must be written in steps; until the lease expires no other claim finds it. */
  readonly large: Deletion | undefined;
  readonly checked: number;
}

export function claimDeletions({ connection }: Group, claim: Claim, deletionsMax: number): Claimed {
  const rowsMax = Math.min(deletionsMax, claimedAtOnceMax);
  const abandoned = connection.all<Pick<DeletionRow, "deletion_request_id">>(
    findAbandoned,
    claim.now,
    rowsMax,
  );
  if (abandoned.length > 0) {
    const ids = abandoned.map((row) => row.deletion_request_id);
    const claimed = connection.perform(takeDeletions, ids, claim);
    return { claimed, large: undefined, checked: ids.length };
  }
  for (let checked = 0; ;) {
    const due = connection.all<DeletionRow>(findDue, claim.now, rowsMax);
    checked += due.length;
    const { begun, large } = connection.perform(planDeletions, due, claim, { ...planBounds, scan });
    const [first] = large;
    if (first !== undefined) markLarge(connection, first, claim);
    const isEnd = due.length < rowsMax || checked >= limits.dueDeletionsCheckedMax;
    if (begun.length > 0 || first !== undefined || isEnd) {
      return { claimed: begun, large: first, checked };
    }
  }
}

function markLarge(
  connection: Connection,
  { deletionRequestId }: Deletion,
  { leaseUntil, claimant }: Claim,
): void {
  connection.run(setPlanning, deletionRequestId, leaseUntil, claimant);
}
