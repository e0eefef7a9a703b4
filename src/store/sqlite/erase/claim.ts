// A worker takes a deletion: one whose worker is gone, or the next one that is due and that no hold keeps back. A deletion
// becomes `processing` in the transaction that completes its plan, so there is never the one without the other. The plan
// of a large cascade is written beforehand, in steps (large-plan.ts).

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { limits } from "../../../domain/limits.ts";
import { type DeletionRow, toDeletion } from "../../row/deletion-row.ts";
import type { Claim } from "../../store.ts";
import { isObstacle, type Obstacle, planFrom, targetsOf, writePlan } from "./cascade.ts";
import type { Connection } from "../connection.ts";
import { noteDeletion, readExistingDeletion } from "../deletion.ts";
import type { Group } from "../commit/group.ts";

/** The largest cascade that is planned in one transaction. */
export const planRelationsAtOnceMax = 200;

const findAbandoned = `
  SELECT deletion_request_id FROM deletion INDEXED BY deletion_due
  WHERE status IN ('pending', 'processing') AND status = 'processing'
    AND (next_attempt_at <= ?1 OR (next_attempt_at IS NULL AND lease_until < ?1))
  ORDER BY started_at LIMIT 1`;

/** By the time since which they could have been tried, so that those that wait for a hold don't crowd out others. */
const findDue = `
  SELECT * FROM deletion INDEXED BY deletion_due
  WHERE status IN ('pending', 'processing') AND status = 'pending'
    AND coalesce(next_attempt_at, due_at) <= ?1 AND due_at <= ?1
  ORDER BY coalesce(next_attempt_at, due_at), deletion_request_id LIMIT ?2`;

const setClaimed = `
  UPDATE deletion SET
    status = 'processing', started_at = coalesce(started_at, ?2), attempts = attempts + 1,
    lease_until = ?3, claimant = ?4, waiting_for = NULL, held = 0, next_attempt_at = NULL
  WHERE deletion_request_id = ?1`;

const setPlanning = `
  UPDATE deletion SET
    waiting_for = 'the plan of a large cascade', held = 0, next_attempt_at = ?2, claimant = ?3
  WHERE deletion_request_id = ?1 AND status = 'pending'`;

const setWaiting = `
  UPDATE deletion SET waiting_for = ?, held = ?, next_attempt_at = ?,
    claimant = CASE status WHEN 'pending' THEN NULL ELSE claimant END
  WHERE deletion_request_id = ?`;

/** `large`: its plan has to be written in steps; until the lease ends no other claim finds it. */
export type Claimed =
  | { readonly result: "claimed"; readonly deletion: Deletion }
  | { readonly result: "large"; readonly deletion: Deletion };

export function claimDeletion(
  group: Group,
  { claim }: { readonly claim: Claim },
): Claimed | undefined {
  const { connection } = group;
  const abandoned = connection.get<Pick<DeletionRow, "deletion_request_id">>(
    findAbandoned,
    claim.now,
  );
  if (abandoned !== undefined) {
    const deletion = take(connection, abandoned.deletion_request_id, claim);
    return { result: "claimed", deletion };
  }
  const due = connection.all<DeletionRow>(findDue, claim.now, limits.dueDeletionsCheckedMax);
  for (const row of due) {
    const started = start(connection, toDeletion(row), claim);
    if (started !== undefined) return started;
  }
  return undefined;
}

/** Undefined if something is in the way, which the deletion then says. */
function start(connection: Connection, deletion: Deletion, claim: Claim): Claimed | undefined {
  const planned = planFrom(connection, deletion, planRelationsAtOnceMax);
  if (planned === undefined) {
    connection.run(setPlanning, deletion.deletionRequestId, claim.leaseUntil, claim.claimant);
    return { result: "large", deletion };
  }
  if (isObstacle(planned)) {
    wait(connection, deletion, { ...planned, until: claim.now + limits.heldDeletionRetryMs });
    return undefined;
  }
  writePlan(connection, deletion, targetsOf(planned));
  const counts = { toErase: planned.erase.length, toRedact: planned.redact.length };
  return { result: "claimed", deletion: begin(connection, deletion, { claim, counts }) };
}

/** Its plan is whole. */
export function begin(
  connection: Connection,
  { organizationId, deletionRequestId }: Deletion,
  { claim, counts }: { readonly claim: Claim; readonly counts: PlanCounts },
): Deletion {
  const act = { actor: "worker", now: claim.now };
  const detail = { ...counts };
  noteDeletion(connection, { organizationId, deletionRequestId, action: "start", detail, act });
  return take(connection, deletionRequestId, claim);
}

export interface PlanCounts {
  readonly toErase: number;
  readonly toRedact: number;
}

function take(connection: Connection, deletionRequestId: string, claim: Claim): Deletion {
  connection.run(setClaimed, deletionRequestId, claim.now, claim.leaseUntil, claim.claimant);
  return readExistingDeletion(connection, deletionRequestId);
}

/** Also for one that is `processing`: what arrived meanwhile may be held. */
export function wait(
  connection: Connection,
  { deletionRequestId }: Deletion,
  { waitingFor, held, until }: Obstacle & { readonly until: number },
): void {
  connection.run(setWaiting, waitingFor, Number(held), until, deletionRequestId);
}
