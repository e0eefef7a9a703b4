// A worker takes a deletion: one whose worker is gone, or the next one that is due and that no hold keeps back. What
// another process is just looking at is passed over. Becoming `processing` and the plan of the erasure are one transaction.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { limits } from "../../../domain/limits.ts";
import { type DeletionRow, toDeletion } from "../../row/deletion-row.ts";
import { auditDeletion, readExistingDeletion } from "../../sql/deletion.ts";
import type { Claim } from "../../store.ts";
import { isObstacle, type Obstacle, planFrom, writePlan } from "./cascade.ts";
import { lockPlansOf } from "../hold.ts";
import type { Transaction } from "../transaction.ts";

const findAbandoned = `
  SELECT * FROM deletion
  WHERE status = 'processing'
    AND (next_attempt_at <= $1 OR (next_attempt_at IS NULL AND lease_until < $1))
  ORDER BY started_at LIMIT 1 FOR UPDATE SKIP LOCKED`;

/** By the time since which they could have been tried, so that those that wait for a hold don't crowd out others. */
const findDue = `
  SELECT * FROM deletion
  WHERE status = 'pending' AND due_at <= $1 AND (next_attempt_at IS NULL OR next_attempt_at <= $1)
  ORDER BY coalesce(next_attempt_at, due_at), due_at, deletion_request_id
  LIMIT 1 FOR UPDATE SKIP LOCKED`;

const setClaimed = `
  UPDATE deletion SET
    status = 'processing', started_at = coalesce(started_at, $2), attempts = attempts + 1,
    lease_until = $3, claimant = $4, waiting_for = NULL, held = false, next_attempt_at = NULL
  WHERE deletion_request_id = $1`;

const setWaiting = `
  UPDATE deletion SET waiting_for = $1, held = $2, next_attempt_at = $3
  WHERE deletion_request_id = $4`;

export async function claimDeletion(
  transaction: Transaction,
  claim: Claim,
): Promise<Deletion | undefined> {
  const abandoned = await transaction.get<DeletionRow>(findAbandoned, claim.now);
  if (abandoned !== undefined) return take(transaction, abandoned.deletion_request_id, claim);
  for (let checked = 0; checked < limits.dueDeletionsCheckedMax; checked += 1) {
    const due = await transaction.get<DeletionRow>(findDue, claim.now);
    if (due === undefined) return undefined;
    const started = await start(transaction, toDeletion(due), claim);
    if (started !== undefined) return started;
  }
  return undefined;
}

/** Undefined if something is in the way, which the deletion then says, and until when it is not due. */
async function start(
  transaction: Transaction,
  deletion: Deletion,
  claim: Claim,
): Promise<Deletion | undefined> {
  const { organizationId, deletionRequestId } = deletion;
  await transaction.enter(organizationId);
  await lockPlansOf(transaction, organizationId);
  const planned = await planFrom(transaction, deletion);
  if (isObstacle(planned)) {
    const until = claim.now + limits.heldDeletionRetryMs;
    await wait(transaction, deletion, { ...planned, until });
    return undefined;
  }
  await writePlan(transaction, deletion, planned);
  const started = await take(transaction, deletionRequestId, claim);
  const act = { actor: "worker", now: claim.now };
  const detail = { toErase: planned.erase.length, toRedact: planned.redact.length };
  const event = { action: "start", detail, act } as const;
  await transaction.perform(auditDeletion, deletion, event);
  return started;
}

async function take(
  transaction: Transaction,
  deletionRequestId: string,
  { now, leaseUntil, claimant }: Claim,
): Promise<Deletion> {
  await transaction.run(setClaimed, deletionRequestId, now, leaseUntil, claimant);
  return transaction.perform(readExistingDeletion, deletionRequestId);
}

/** Also for one that is `processing`: what arrived meanwhile may be held. */
export async function wait(
  transaction: Transaction,
  { deletionRequestId }: Deletion,
  { waitingFor, held, until }: Obstacle & { readonly until: number },
): Promise<void> {
  await transaction.run(setWaiting, waitingFor, held, until, deletionRequestId);
}
