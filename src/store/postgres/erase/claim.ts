// A worker claims a deletion: one whose worker has ended, or the next one that is due and has no hold. Skips deletions
// that another process has locked. A deletion becomes `processing` in the transaction that writes its plan.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { limits } from "../../../domain/limits.ts";
import { type DeletionRow, toDeletion } from "../../row/deletion-row.ts";
import { beginDeletion, putOff, takeDeletion } from "../../sql/claim.ts";
import { countPlan, isObstacle, planningOf } from "../../sql/plan.ts";
import type { Claim } from "../../store.ts";
import { planFrom, writePlan } from "./cascade.ts";
import { lockPlansOf } from "./plan-lock.ts";
import type { Transaction } from "../transaction.ts";

const findAbandoned = `
  SELECT * FROM deletion
  WHERE status = 'processing'
    AND (next_attempt_at <= $1 OR (next_attempt_at IS NULL AND lease_until < $1))
  ORDER BY started_at LIMIT 1 FOR UPDATE SKIP LOCKED`;

/** Ordered by when they can be tried again, so that deletions that wait for a hold or a floor don't starve others. */
const findDue = `
  SELECT * FROM deletion
  WHERE status = 'pending' AND due_at <= $1 AND coalesce(next_attempt_at, due_at) <= $1
  ORDER BY coalesce(next_attempt_at, due_at), due_at, deletion_request_id
  LIMIT 1 FOR UPDATE SKIP LOCKED`;

/** `waiting`: all that were checked have to wait; more may be due. */
export async function claimDeletion(
  transaction: Transaction,
  claim: Claim,
): Promise<Deletion | "waiting" | undefined> {
  const abandoned = await transaction.get<DeletionRow>(findAbandoned, claim.now);
  if (abandoned !== undefined) {
    return transaction.perform(takeDeletion, abandoned.deletion_request_id, claim);
  }
  for (let checked = 0; checked < limits.dueDeletionsCheckedMax; checked += 1) {
    const due = await transaction.get<DeletionRow>(findDue, claim.now);
    if (due === undefined) return undefined;
    const started = await start(transaction, toDeletion(due), claim);
    if (started !== undefined) return started;
  }
  return "waiting";
}

/** Undefined if there is an obstacle, which is then stored with the deletion. */
async function start(
  transaction: Transaction,
  deletion: Deletion,
  claim: Claim,
): Promise<Deletion | undefined> {
  const { organizationId } = deletion;
  await transaction.enter(organizationId);
  await lockPlansOf(transaction, organizationId);
  const planned = await planFrom(transaction, deletion, planningOf(deletion, claim.now));
  if (isObstacle(planned)) {
    await transaction.perform(putOff, deletion, planned, claim.now);
    return undefined;
  }
  await writePlan(transaction, deletion, planned);
  return transaction.perform(beginDeletion, deletion, countPlan(planned), claim);
}
