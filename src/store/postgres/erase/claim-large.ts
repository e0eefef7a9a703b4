// Claims a deletion whose cascade is large: it is planned in a transaction of its own. Also defines the bounds of plans
// on this engine.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { nodeKey } from "../../../domain/deletion/erasure.ts";
import { limits } from "../../../domain/limits.ts";
import { type DeletionRow, toDeletion } from "../../row/deletion-row.ts";
import { beginDeletions, postpone } from "../../sql/plan/claim.ts";
import { findPartyObstacle } from "../../sql/plan/party-obstacle.ts";
import { planLargeCascade } from "../../sql/plan/large-cascade.ts";
import { writePlans } from "../../sql/plan/write-plan.ts";
import { isObstacle, targetsOf } from "../../sql/plan/plan.ts";
import type { Claim } from "../../interface/deletion.ts";
import type { Transaction } from "../transaction.ts";
import { enterToPlan } from "./enter.ts";

export const planBounds = {
  relationsMax: 1_000,
  bounded: true,
  shortHistories: false,
  scan: { rowsMax: limits.floorScanRowsMax, historiesMax: limits.floorScanHistoriesMax },
};
const lockPending = `
  SELECT * FROM deletion WHERE deletion_request_id = $1 AND status = 'pending'
  FOR UPDATE SKIP LOCKED`;

/** Pauses between steps. Undefined if it has an obstacle, or somebody else has claimed it meanwhile. */
export async function claimLarge(
  transaction: Transaction,
  deletionRequestId: string,
  claim: Claim,
): Promise<Deletion | undefined> {
  const row = await transaction.get<DeletionRow>(lockPending, deletionRequestId);
  if (row === undefined) return undefined;
  const deletion = toDeletion(row);
  await enterToPlan(transaction, [deletion]);
  const root = nodeKey(deletion.resourceType, deletion.resourceId);
  const plan = await transaction.perform(planLargeCascade, deletion, root, { now: claim.now });
  if (isObstacle(plan)) {
    await transaction.perform(postpone, deletion, plan, claim.now);
    return undefined;
  }
  const ofParty = await transaction.perform(findPartyObstacle, deletion, { now: claim.now });
  if (typeof ofParty === "object") {
    await transaction.perform(postpone, deletion, ofParty, claim.now);
    return undefined;
  }
  const targets = targetsOf(plan);
  await transaction.perform(writePlans, [{ deletion, targets }]);
  const [begun] = await transaction.perform(beginDeletions, [{ deletion, targets }], claim);
  return begun;
}
