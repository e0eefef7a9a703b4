// A worker claims deletions: those whose worker has ended, or the next ones that are due and have no obstacle. Skips deletions
// that another process has locked.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { nodeKey } from "../../../domain/deletion/erasure.ts";
import { isOfOrganization } from "../../../domain/deletion/organization-deletion.ts";
import { limits } from "../../../domain/limits.ts";
import { type DeletionRow, toDeletion } from "../../row/deletion-row.ts";
import { beginDeletions, putOff, takeDeletions } from "../../sql/erase/claim.ts";
import { planDeletions, planLargeCascade } from "../../sql/erase/plan-step.ts";
import { writePlans } from "../../sql/erase/write-plan.ts";
import { isObstacle, targetsOf } from "../../sql/erase/plan.ts";
import type { Claim } from "../../interface/store.ts";
import { commitInTwoPhases } from "../citus.ts";
import type { Transaction } from "../transaction.ts";
import { enterFor, lockPlansFor, useOrderOfKeys } from "./enter.ts";

/** Deletions that one transaction claims and plans. */
const claimedAtOnceMax = 128;
const bounds = {
  relationsMax: 1_000,
  bounded: true,
  shortHistories: false,
  scan: { rowsMax: limits.floorScanRowsMax, historiesMax: limits.floorScanHistoriesMax },
};

const findAbandoned = `
  SELECT * FROM deletion
  WHERE status = 'processing'
    AND (next_attempt_at <= $1 OR (next_attempt_at IS NULL AND lease_until < $1))
  ORDER BY started_at LIMIT $2 FOR UPDATE SKIP LOCKED`;

/** Ordered by when they can be tried again, so that deletions that wait for a hold or a floor don't starve others. */
const findDue = `
  SELECT * FROM deletion
  WHERE status = 'pending' AND due_at <= $1 AND coalesce(next_attempt_at, due_at) <= $1
  ORDER BY coalesce(next_attempt_at, due_at), due_at, deletion_request_id
  LIMIT $2 FOR UPDATE SKIP LOCKED`;

const lockPending = `
  SELECT * FROM deletion WHERE deletion_request_id = $1 AND status = 'pending'
  FOR UPDATE SKIP LOCKED`;

/** None claimed: those that were checked have to wait, and more may be due; without any checked, nothing is due. */
export interface Claimed {
  readonly claimed: readonly Deletion[];
  /** Those whose plan takes a transaction of its own. */
  readonly large: readonly Deletion[];
  readonly checked: number;
}

export async function claimDeletions(
  transaction: Transaction,
  claim: Claim,
  deletionsMax: number,
): Promise<Claimed> {
  const rowsMax = Math.min(deletionsMax, claimedAtOnceMax);
  const abandoned = await transaction.all<DeletionRow>(findAbandoned, claim.now, rowsMax);
  if (abandoned.length > 0) {
    const ids = abandoned.map((row) => row.deletion_request_id);
    const claimed = await transaction.perform(takeDeletions, ids, claim);
    return { claimed, large: [], checked: ids.length };
  }
  const due = await transaction.all<DeletionRow>(findDue, claim.now, rowsMax);
  const deletions = due.map(toDeletion);
  await enterFor(transaction, deletions);
  await lockPlansFor(transaction, deletions);
  await commitInTwoPhases(transaction);
  if (deletions.some(isOfOrganization)) await useOrderOfKeys(transaction);
  const { begun, large } = await transaction.perform(planDeletions, due, claim, bounds);
  return { claimed: begun, large, checked: due.length };
}

/** Plans one whose cascade is large, with rests. Undefined if it has an obstacle, or somebody else has claimed it meanwhile. */
export async function claimLarge(
  transaction: Transaction,
  deletionRequestId: string,
  claim: Claim,
): Promise<Deletion | undefined> {
  const row = await transaction.get<DeletionRow>(lockPending, deletionRequestId);
  if (row === undefined) return undefined;
  const deletion = toDeletion(row);
  await enterFor(transaction, [deletion]);
  await lockPlansFor(transaction, [deletion]);
  await commitInTwoPhases(transaction);
  const root = nodeKey(deletion.resourceType, deletion.resourceId);
  const plan = await transaction.perform(planLargeCascade, deletion, root, claim.now);
  if (isObstacle(plan)) {
    await transaction.perform(putOff, deletion, plan, claim.now);
    return undefined;
  }
  const targets = targetsOf(plan);
  await transaction.perform(writePlans, [{ deletion, targets }]);
  const [begun] = await transaction.perform(beginDeletions, [{ deletion, targets }], claim);
  return begun;
}
