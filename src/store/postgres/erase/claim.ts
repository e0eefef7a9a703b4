// A worker claims a deletion: one whose worker has ended, or the next one that is due and has no hold. Skips deletions
// that another process has locked. A deletion becomes `processing` in the transaction that writes its plan.

import { awaitsApproval } from "../../../domain/deletion/approval.ts";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import type { ErasurePlan } from "../../../domain/deletion/erasure.ts";
import { isOfOrganization } from "../../../domain/deletion/organization-deletion.ts";
import { limits } from "../../../domain/limits.ts";
import { type DeletionRow, toDeletion } from "../../row/deletion-row.ts";
import { beginDeletion, notApproved, putOff, takeDeletion } from "../../sql/claim.ts";
import { type FloorScan, scanFloors } from "../../sql/organization-floors.ts";
import { planOrganization, readingFloors } from "../../sql/organization-obstacle.ts";
import { isObstacle, type Obstacle, type Planning, planningOf } from "../../sql/plan.ts";
import type { Claim } from "../../store.ts";
import { planFrom, writePlan } from "./cascade.ts";
import { useOrderOfKeys } from "./organization-erasures.ts";
import { enterFor, lockPlansFor } from "./enter.ts";
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

/** How far this process has read the floors of organizations, by the deletion that waits for it. */
export type FloorScans = Map<string, FloorScan>;

/** `waiting`: all that were checked have to wait; more may be due. */
export async function claimDeletion(
  transaction: Transaction,
  claim: Claim,
  scans: FloorScans,
): Promise<Deletion | "waiting" | undefined> {
  const abandoned = await transaction.get<DeletionRow>(findAbandoned, claim.now);
  if (abandoned !== undefined) {
    return transaction.perform(takeDeletion, abandoned.deletion_request_id, claim);
  }
  for (let checked = 0; checked < limits.dueDeletionsCheckedMax; checked += 1) {
    const due = await transaction.get<DeletionRow>(findDue, claim.now);
    if (due === undefined) return undefined;
    const started = await start(transaction, toDeletion(due), { claim, scans });
    if (started !== undefined) return started;
  }
  return "waiting";
}

/** Undefined if there is an obstacle, which is then stored with the deletion. */
async function start(
  transaction: Transaction,
  deletion: Deletion,
  { claim, scans }: { readonly claim: Claim; readonly scans: FloorScans },
): Promise<Deletion | "waiting" | undefined> {
  if (awaitsApproval(deletion)) {
    await transaction.perform(putOff, deletion, notApproved, claim.now);
    return undefined;
  }
  const { deletionRequestId } = deletion;
  await enterFor(transaction, deletion);
  await lockPlansFor(transaction, deletion);
  const planning = planningOf(deletion, claim.now);
  const planned = isOfOrganization(deletion)
    ? await planAll(transaction, planning, { scans, deletionRequestId })
    : await planFrom(transaction, deletion, planning);
  if (isObstacle(planned)) {
    await transaction.perform(putOff, deletion, planned, claim.now);
    return planned.retryAt === undefined ? undefined : "waiting";
  }
  await writePlan(transaction, deletion, planned);
  return transaction.perform(beginDeletion, deletion, claim);
}

/** In steps, each in a transaction of its own. `retryAt` is after deletions that were due before. */
async function planAll(
  transaction: Transaction,
  planning: Planning,
  { scans, deletionRequestId }: { readonly scans: FloorScans; readonly deletionRequestId: string },
): Promise<ErasurePlan | Obstacle> {
  const scan = scans.get(deletionRequestId);
  const planned = await transaction.perform(planOrganization, planning, scan);
  scans.delete(deletionRequestId);
  if (planned !== "floors") return planned;
  const { floorScanRowsMax: rowsMax, floorScanHistoriesMax: historiesMax } = limits;
  const bounds = { rowsMax, historiesMax };
  await useOrderOfKeys(transaction);
  scans.set(deletionRequestId, await transaction.perform(scanFloors, planning, scan, bounds));
  return { waitingFor: readingFloors, held: false, retryAt: planning.now };
}
