// Approves deletions that need it. The condition is part of the statement that changes the row, so it also holds
// against concurrent changes.

import { awaitsApproval, type Deletion } from "../../../domain/deletion/deletion.ts";
import type { Act } from "../../interface/act.ts";
import type { NotApproved } from "../../interface/deletion.ts";
import { auditDeletion, findDeletion, readExistingDeletion } from "./deletion.ts";
import { lockApprover } from "../access/operator.ts";
import { get, run, type Statements } from "../statement/statements.ts";

const setApproved = `
  UPDATE deletion SET
    approved_by = $2, approved_at = $3, waiting_for = NULL, next_attempt_at = NULL
  WHERE deletion_request_id = $1 AND status = 'pending' AND approved_at IS NULL
    AND approval_requester <> $2
    AND NOT EXISTS (${ownKeyOf("approval_requester")})`;

const findOwnKey = ownKeyOf("CAST($1 AS text)");

/** The name of a requester begins with the id of its key or rule. For a rule, the identified program follows. */
function ownKeyOf(requester: string): string {
  return `
    SELECT 1 FROM api_key
    WHERE substr(${requester} || ' ', 1, length(key_id) + 1) = key_id || ' ' AND created_by = $2`;
}

/**
 * The actor is the person who approves. One transaction checks whether this person may approve, and stores the
 * approval with its audit entry. If two people approve the same deletion at once, one succeeds.
 */
export function* approveDeletion(
  deletionRequestId: string,
  act: Act,
): Statements<Deletion | NotApproved> {
  if (!(yield* lockApprover(act.actor))) return "no_such_person";
  if ((yield* run(setApproved, deletionRequestId, act.actor, act.now)) === 0) {
    return yield* findReason(yield* findDeletion(deletionRequestId), act);
  }
  const approved = yield* readExistingDeletion(deletionRequestId);
  const detail = { requester: approved.approval?.requester ?? null };
  yield* auditDeletion(approved, { action: "approve", detail, act });
  return approved;
}

function* findReason(deletion: Deletion | undefined, { actor }: Act): Statements<NotApproved> {
  if (deletion === undefined) return "no_such_deletion";
  if (deletion.status !== "pending") return "not_pending";
  if (deletion.approval === undefined) return "not_needed";
  if (!awaitsApproval(deletion)) return "approved_before";
  const { requester } = deletion.approval;
  const own = requester === actor || (yield* get(findOwnKey, requester, actor)) !== undefined;
  if (own) return "own_request";
  // Another process has changed the deletion between the two statements.
  return "not_pending";
}
