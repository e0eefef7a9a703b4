// A worker claims deletions: those whose worker has stopped, or else those that are due. Organizations take turns, so
// that one with very many deletions does not delay another's. Each claimed deletion then has a plan, or is postponed
// because of an obstacle.

import type { DeletionRow } from "../../row/deletion-row.ts";
import type { Claim } from "../../interface/deletion.ts";
import type { Claimed, Claiming } from "../../shared/claimer.ts";
import { takeDeletions } from "./claim.ts";
import { planDeletions, type StepBounds } from "./plan-step.ts";
import { all, type Statements, column } from "../statement/statements.ts";
import { triedAt } from "../deletion/deletion.ts";

const organizationsMax = 32;

const findAbandoned = `
  SELECT deletion_request_id FROM deletion
  --sqlite INDEXED BY deletion_due
  WHERE status IN ('pending', 'processing') AND status = 'processing'
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
  { deletionsMax, turn, bounds }: Claiming & { readonly bounds: StepBounds },
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
  const { begun, ...others } = yield* planDeletions(due, claim, bounds);
  return { claimed: begun, ...others, checked: due.length, turn: owners.at(-1) ?? "" };
}

/** Always reads the beginning too: whether it is needed depends on restricted sets, which the time would disclose. */
function* findInTurn(turn: string, now: number, max: number): Statements<readonly string[]> {
  const after = yield* column<string>(findOwners, turn, now, max);
  const before = yield* column<string>(findOwners, "", now, max - after.length);
  return [...new Set([...after, ...before])];
}
