// The first steps of a deletion: finds what prevents it from being processed, and makes its plan. Several deletions of
// an organization are planned together. A deletion becomes `processing` in the transaction that completes its plan, so
// neither exists without the other.

import { awaitsApproval, type Deletion } from "../../../domain/deletion/deletion.ts";
import type { ErasurePlan } from "../../../domain/deletion/erasure.ts";
import { isOfOrganization } from "../../../domain/deletion/organization-deletion.ts";
import { type DeletionRow, toDeletion } from "../../row/deletion-row.ts";
import type { Claim } from "../../interface/deletion.ts";
import {
  beginDeletions,
  notApproved,
  postpone,
  postponeAll,
  storeCursor,
  type Waiting,
} from "./claim.ts";
import type { Processing } from "./erasure.ts";
import {
  type FloorScan,
  type ScanBounds,
  scanFloors,
  planOrganization,
  readingFloors,
} from "./organization-obstacle.ts";
import { isObstacle, planningOf, targetsOf } from "./plan.ts";
import { type PlanBounds, planRecords, withRoot } from "./record-plans.ts";
import { enter, type Statements } from "../statement/statements.ts";
import { type Planned, writePlans } from "./write-plan.ts";
import { readPartyObstacles } from "./party-obstacle.ts";

export interface StepBounds extends PlanBounds {
  readonly scan: ScanBounds;
}

export interface BeginResult {
  readonly begun: readonly Deletion[];
  /** Deletions that are too large to be planned in this transaction. */
  readonly large: readonly Deletion[];
  /** Whether the index of parties has to advance first, for some deletions that remain due. */
  readonly isBehind: boolean;
}

/** Plans deletions that are due, in order. A deletion with an obstacle is postponed, with the reason. */
export function* planDeletions(
  due: readonly DeletionRow[],
  claim: Claim,
  bounds: StepBounds,
): Statements<BeginResult> {
  const ready: Deletion[] = [];
  const planned: Planned[] = [];
  const waiting: Waiting[] = [];
  const deletions = due.map(toDeletion);
  yield* enter(deletions);
  for (const [index, deletion] of deletions.entries()) {
    const { cursor = null } = due[index] ?? {};
    if (awaitsApproval(deletion)) waiting.push({ deletion, obstacle: notApproved });
    else if (!isOfOrganization(deletion)) ready.push(deletion);
    else {
      const plan = yield* planAll({ deletion, cursor }, claim.now, bounds.scan);
      if (plan !== undefined) planned.push({ deletion, targets: targetsOf(plan) });
    }
  }
  const large: Deletion[] = [];
  let isBehind = false;
  for (const [, some] of Map.groupBy(ready, ({ organizationId }) => organizationId)) {
    const parties = yield* readPartyObstacles(some, claim.now);
    const plans = yield* planRecords(some.map(withRoot), { now: claim.now, bounds, parties });
    isBehind ||= parties?.isBehind === true;
    for (const [index, deletion] of some.entries()) {
      const plan = plans[index] ?? "large";
      if (plan === "large") large.push(deletion);
      else if (plan === "later") continue;
      else if (isObstacle(plan)) waiting.push({ deletion, obstacle: plan });
      else planned.push({ deletion, targets: targetsOf(plan) });
    }
  }
  yield* postponeAll(waiting, claim.now);
  yield* writePlans(planned);
  return { begun: yield* beginDeletions(planned, claim), large, isBehind };
}

/** Plans the deletion of an organization. Undefined if there is an obstacle, or if floors have yet to be read. */
function* planAll(
  { deletion, cursor }: Pick<Processing, "deletion" | "cursor">,
  now: number,
  bounds: ScanBounds,
): Statements<ErasurePlan | undefined> {
  // Everybody who may know of this deletion may know of everything that it waits for.
  const planning = planningOf(deletion, now, new Set());
  const scan = cursor === null ? undefined : (JSON.parse(cursor) as FloorScan);
  const plan = yield* planOrganization(planning, scan);
  if (plan === "floors") {
    const next = yield* scanFloors(planning, scan, bounds);
    yield* storeCursor(deletion, JSON.stringify(next));
    // The deletion becomes due now, after those that were due before.
    yield* postpone(deletion, { waitingFor: readingFloors, held: false, retryAt: now }, now);
    return undefined;
  }
  if (!isObstacle(plan)) return plan;
  yield* storeCursor(deletion, null);
  yield* postpone(deletion, plan, now);
  return undefined;
}
