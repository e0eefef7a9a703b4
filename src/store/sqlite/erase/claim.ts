// A worker claims a deletion: one whose worker has ended, or the next one that is due and has no hold. A deletion
// becomes `processing` in the transaction that completes its plan, so neither exists without the other. The plan of a
// large cascade is written beforehand, in steps (large-plan.ts).

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { limits } from "../../../domain/limits.ts";
import { type DeletionRow, toDeletion } from "../../row/deletion-row.ts";
import type { Claim } from "../../store.ts";
import { beginDeletion, putOff, takeDeletion } from "../../sql/claim.ts";
import { countPlan, isObstacle, planningOf, targetsOf } from "../../sql/plan.ts";
import { planFrom, writePlan } from "./cascade.ts";
import type { Connection } from "../connection.ts";
import type { Group } from "../commit/group.ts";

/** The largest cascade that is planned in one transaction. */
export const planRelationsAtOnceMax = 200;

const findAbandoned = `
  SELECT deletion_request_id FROM deletion INDEXED BY deletion_due
  WHERE status IN ('pending', 'processing') AND status = 'processing'
    AND (next_attempt_at <= ?1 OR (next_attempt_at IS NULL AND lease_until < ?1))
  ORDER BY started_at LIMIT 1`;

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

/**
 * `large`: its plan must be written in steps; until the lease expires no other claim finds it. `waiting`: all that were checked
 * have to wait; more may be due.
 */
export type Claimed =
  | { readonly result: "claimed" | "large"; readonly deletion: Deletion }
  | { readonly result: "waiting" };

export function claimDeletion({ connection }: Group, claim: Claim): Claimed | undefined {
  const abandoned = connection.get<Pick<DeletionRow, "deletion_request_id">>(
    findAbandoned,
    claim.now,
  );
  if (abandoned !== undefined) {
    const { deletion_request_id: id } = abandoned;
    return { result: "claimed", deletion: connection.perform(takeDeletion, id, claim) };
  }
  const due = connection.all<DeletionRow>(findDue, claim.now, limits.dueDeletionsCheckedMax);
  for (const row of due) {
    const started = start(connection, toDeletion(row), claim);
    if (started !== undefined) return started;
  }
  return due.length < limits.dueDeletionsCheckedMax ? undefined : { result: "waiting" };
}

/** Undefined if there is an obstacle, which is then stored with the deletion. */
function start(connection: Connection, deletion: Deletion, claim: Claim): Claimed | undefined {
  const planning = planningOf(deletion, claim.now);
  const bounds = { relationsMax: planRelationsAtOnceMax, bounded: true };
  const planned = planFrom(connection, deletion, planning, bounds);
  if (planned === undefined) {
    connection.run(setPlanning, deletion.deletionRequestId, claim.leaseUntil, claim.claimant);
    return { result: "large", deletion };
  }
  if (isObstacle(planned)) {
    connection.perform(putOff, deletion, planned, claim.now);
    return undefined;
  }
  writePlan(connection, deletion, targetsOf(planned));
  const begun = connection.perform(beginDeletion, deletion, countPlan(planned), claim);
  return { result: "claimed", deletion: begun };
}
