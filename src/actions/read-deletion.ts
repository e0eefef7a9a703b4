// The status of a deletion request as the organization that asked for it may see it.

import { type Deletion, type DeletionStatus, type ErasedCounts } from "../domain/deletion.ts";
import { AppError } from "../domain/error.ts";
import type { App } from "./app.ts";

/** The status object of the contract, section 7. */
export interface DeletionView {
  readonly deletion_request_id: string;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly status: DeletionStatus;
  readonly requested_at: string;
  readonly completed_at?: string;
  readonly erased?: ErasedCounts;
}

/** Throws AppError no_such_deletion, also for another organization's. */
export async function readDeletion(
  app: App,
  { organizationId, deletionRequestId }: { organizationId: string; deletionRequestId: string },
): Promise<Deletion> {
  const found = await app.store.findDeletion(deletionRequestId, organizationId);
  if (found === undefined) throw new AppError("no_such_deletion");
  return found;
}

export function viewDeletion(deletion: Deletion): DeletionView {
  const { completedAt } = deletion;
  return {
    deletion_request_id: deletion.deletionRequestId,
    resource_type: deletion.resourceType,
    resource_id: deletion.resourceId,
    status: deletion.status,
    requested_at: new Date(deletion.requestedAt).toISOString(),
    ...(completedAt === undefined
      ? {}
      : { completed_at: new Date(completedAt).toISOString(), erased: deletion.erased }),
  };
}
