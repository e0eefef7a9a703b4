// The approval of a deletion by a second person, if its organization requires it. A deletion that was requested without
// the requirement never needs it; one that was requested with it always does.

import type { Deletion } from "./deletion.ts";

/** What operators are shown as the reason why such a deletion waits. */
export const approvalWait = "the approval of a second person";

/**
 * True while the deletion must not be processed. A replay after a restore needs no approval: the deletion was completed
 * before, so it had been approved.
 */
export function awaitsApproval({
  approval,
  status,
  processedBefore,
}: Pick<Deletion, "approval" | "status" | "processedBefore">): boolean {
  if (approval === undefined || approval.approvedAt !== undefined) return false;
  return status === "pending" && processedBefore === undefined;
}
