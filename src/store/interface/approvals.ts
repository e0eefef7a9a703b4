// Approvals of deletions by a second person, on every engine.

import type { Deletion } from "../../domain/deletion/deletion.ts";
import type { Act } from "./act.ts";

/**
 * Why a deletion was not approved. `own_request`: the actor requested it. `not_needed`: its organization did not require an
 * approval when it was requested. `no_such_person`: the actor is not an operator, or is disabled.
 */
export type NotApproved =
  | "no_such_deletion"
  | "no_such_person"
  | "not_pending"
  | "not_needed"
  | "approved_before"
  | "own_request";

export interface ApprovalStore {
  /**
   * The actor is the person who approves. One transaction checks whether this person may approve, and stores the
   * approval with its audit entry. If two people approve the same deletion at once, one succeeds.
   */
  approve(deletionRequestId: string, act: Act): Promise<Deletion | NotApproved>;
}
