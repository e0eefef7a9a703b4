// A worker claims deletions: those whose worker has stopped, or else those that are due. Organizations take turns, so
// that one with very many deletions does not delay another's. A deletion with an obstacle is postponed; another becomes
// `processing` in the transaction that completes its plan, so neither exists without the other.

import { byDueTime } from "../statement/index-conditions.ts";
import { type DeletionRow, toDeletion } from "../../row/deletion-row.ts";
import type { Claim } from "../../interface/deletion.ts";
import type { Claimed, Claiming } from "../../shared/claimer.ts";
import {
  takeDeletions,
  beginDeletions,
  notApproved,
  postponeAll,
  type WaitingDeletion,
} from "./claim.ts";
import { all, type Statements, column, preparePlans } from "../statement/statements.ts";
import { triedAt } from "../deletion/deletion.ts";
import { awaitsApproval, type Deletion } from "../../../domain/deletion/deletion.ts";
import { isOfOrganization } from "../../../domain/deletion/organization-deletion.ts";
import { type ScanBounds, planAll, scanBounds } from "./organization-obstacle.ts";
import { isObstacle, targetsOf } from "./plan.ts";
import { largestCascade, type PlanBounds, planPending } from "./record-plans.ts";
import { type Planned, writePlans } from "./write-plan.ts";

const organizationsMax = 32;

const findAbandoned = `
  SELECT deletion_request_id FROM deletion
  --sqlite INDEXED BY deletion_due
  WHERE status IN ('pending', 'processing') AND status = 'processing' ${byDueTime}
    AND (next_attempt_at <= $1 OR (next_attempt_at IS NULL AND lease_until < $1))
  ORDER BY started_at LIMIT $2
  --postgres FOR UPDATE SKIP LOCKED`;

/** The restricted sets of an organization take turns with its other deletions. */
const owner = "CASE WHEN restricted_of IS NULL THEN organization_id ELSE restricted_of END";

/** Finds the next owner with a pending deletion. It skips from owner to owner, however many deletions each has. */
const nextOwner = (after: string) => `
  SELECT min(${owner}) FROM deletion
  --sqlite INDEXED BY deletion_in_turn
  WHERE status = 'pending' AND (${owner}) > ${after}`;

/** Reads the owners in order, and only as many as needed. PostgreSQL would join an EXISTS in an order of its own. */
const findOwners = `
  WITH RECURSIVE pending (owner) AS (
    SELECT (${nextOwner("$1")})
    UNION ALL
    SELECT (${nextOwner("pending.owner")}) FROM pending WHERE pending.owner IS NOT NULL)
  SELECT owner FROM pending
  WHERE owner IS NOT NULL AND (
    SELECT 1 FROM deletion
    --sqlite INDEXED BY deletion_in_turn
    WHERE status = 'pending' AND (${owner}) = pending.owner AND (${triedAt}) <= $2 AND due_at <= $2
    LIMIT 1) IS NOT NULL
  LIMIT $3`;

/** Ordered by when they can be tried again, so that deletions that wait for a hold or a floor don't starve others. */
const findDue = `
  SELECT * FROM deletion
  --sqlite INDEXED BY deletion_in_turn
  WHERE status = 'pending' AND (${owner}) = $1 AND (${triedAt}) <= $2 AND due_at <= $2
  ORDER BY ${triedAt}, deletion_request_id LIMIT $3
  --postgres FOR UPDATE SKIP LOCKED`;

export function* claimDeletions(
  claim: Claim,
  { deletionsMax, turn, large: known, isApart, bounds }: Claiming & { readonly bounds: StepBounds },
): Statements<Claimed> {
  const abandoned = yield* column<string>(findAbandoned, claim.now, deletionsMax);
  if (abandoned.length > 0) {
    const claimed = yield* takeDeletions(abandoned, claim);
    return { claimed, large: [], isBehind: false, checked: abandoned.length, turn };
  }
  const owners = yield* findInTurn(turn, claim.now, Math.min(deletionsMax, organizationsMax));
  const due: DeletionRow[] = [];
  const share = Math.floor(deletionsMax / Math.max(1, owners.length));
  for (const one of owners) {
    due.push(...(yield* all<DeletionRow>(findDue, one, claim.now, share)));
  }
  const wasLarge = (row: DeletionRow) => known.has(row.deletion_request_id);
  const largeBefore = due.filter(wasLarge).map(toDeletion);
  const others = due.filter((row) => !wasLarge(row));
  const { begun, ...planned } = yield* planDeletions(others, claim, { ...bounds, isApart });
  const checked = planned.checked + largeBefore.length;
  const large = [...largeBefore, ...planned.large];
  return { ...planned, claimed: begun, large, checked, turn: owners.at(-1) ?? "" };
}

const findPending = `
  SELECT * FROM deletion WHERE deletion_request_id = $1 AND status = 'pending'
  --postgres FOR UPDATE SKIP LOCKED
  `;

/** Undefined if it has an obstacle, or somebody else has claimed it meanwhile. Nobody may wait for the transaction. */
export function* claimLarge(
  { deletionRequestId }: Deletion,
  claim: Claim,
): Statements<Deletion | undefined> {
  const due = yield* all<DeletionRow>(findPending, deletionRequestId);
  const bounds = { ...largestCascade, scan: scanBounds };
  const { begun } = yield* planDeletions(due, claim, bounds);
  return begun[0];
}

/** Always reads the beginning too: whether it is needed depends on restricted sets, which the time would disclose. */
function* findInTurn(turn: string, now: number, max: number): Statements<readonly string[]> {
  const after = yield* column<string>(findOwners, turn, now, max);
  const before = yield* column<string>(findOwners, "", now, max - after.length);
  return [...new Set([...after, ...before])];
}

export interface StepBounds extends PlanBounds {
  readonly scan: ScanBounds;
  readonly isApart?: Claiming["isApart"];
}

/** `checked`: without those for whose organization another process plans. */
interface BeginResult extends Omit<Claimed, "claimed" | "turn"> {
  readonly begun: readonly Deletion[];
}

/** Plans deletions that are due, in order. A deletion with an obstacle is postponed, with the reason. */
function* planDeletions(
  due: readonly DeletionRow[],
  claim: Claim,
  bounds: StepBounds,
): Statements<BeginResult> {
  const ready: Deletion[] = [];
  const planned: Planned[] = [];
  const waiting: WaitingDeletion[] = [];
  const free = yield* preparePlans(due.map(toDeletion));
  for (const deletion of free) {
    if (awaitsApproval(deletion)) waiting.push({ deletion, obstacle: notApproved });
    else if (!isOfOrganization(deletion)) ready.push(deletion);
    else if (bounds.isApart !== true) {
      const isOwn = (row: DeletionRow) => row.deletion_request_id === deletion.deletionRequestId;
      const { cursor = null } = due.find(isOwn) ?? {};
      const plan = yield* planAll({ deletion, cursor }, claim.now, bounds.scan);
      if (plan !== undefined) planned.push({ deletion, targets: targetsOf(plan) });
    }
  }
  const large: Deletion[] = bounds.isApart === true ? ready.splice(0) : [];
  let isBehind = false;
  for (const [, some] of Map.groupBy(ready, ({ organizationId }) => organizationId)) {
    const { plans, ...read } = yield* planPending(some, { now: claim.now, bounds });
    isBehind ||= read.isBehind;
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
  const begun = yield* beginDeletions(planned, claim);
  return { begun, large, isBehind, checked: free.length };
}
