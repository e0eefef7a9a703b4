// Requests the deletion of records that name only erased parties, for organizations that have chosen this. Each is an
// ordinary deletion: holds and floors apply, it is verified, and it has a receipt.

import { randomBytes } from "node:crypto";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import type { Act } from "../../interface/act.ts";
import { openDeletions } from "./open-deletion.ts";
import { findOrganization } from "../access/organization.ts";
import type { Statements } from "../statement/statements.ts";

/** The requester that the deletions of orphaned records name. */
export const orphanRequester = "orphaned";

/** Must run in the transaction that replaces the id of their last party, so that a crash never loses a request. */
export function* deleteOrphans(
  { organizationId, deletionRequestId }: Deletion,
  orphans: readonly RecordKey[],
  act: Act,
): Statements<void> {
  const organization = yield* findOrganization(organizationId);
  if (organization?.eraseOrphanedTransactions !== true) return;
  // Everything of a closed organization is erased anyway.
  if (organization.closedAt !== undefined) return;
  const requests = orphans.map(({ resourceType, resourceId }) => ({
    organizationId,
    resourceType,
    resourceId,
    reason: `Every person and company that it names was erased (${deletionRequestId}).`,
    deletionRequestId: `del_${randomBytes(12).toString("hex")}`,
    isAutomatic: true,
    requestedBy: orphanRequester,
    dueAt: act.now + organization.deletionGraceSeconds * 1_000,
  }));
  yield* openDeletions(requests.map((request) => ({ request, act })));
}
