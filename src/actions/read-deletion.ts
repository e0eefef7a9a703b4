// Deletion requests and their receipts, as organizations and operators see them.

import type { Deletion, DeletionStatus, ErasedCounts } from "../domain/deletion/deletion.ts";
import { AppError } from "../domain/error.ts";
import type { Receipt } from "../domain/deletion/receipt.ts";
import type { DeletionFilter } from "../store/store.ts";
import type { App } from "./app.ts";
import { requireOrganization } from "./find-organization.ts";

/** The status object of the contract, section 7. */
export interface DeletionView {
  readonly deletion_request_id: string;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly status: DeletionStatus;
  readonly requested_at: string;
  /** Only while it is pending, and only if that is later than the request. */
  readonly due_at?: string;
  readonly completed_at?: string;
  readonly erased?: ErasedCounts;
  readonly receipt?: Receipt;
}

export interface DeletionRead {
  readonly deletion: Deletion;
  /** Undefined unless the deletion is completed. */
  readonly receipt: Receipt | undefined;
}

/** Throws AppError no_such_deletion, also for a deletion of another organization. */
export async function readDeletion(
  app: App,
  { organizationId, deletionRequestId }: { organizationId: string; deletionRequestId: string },
): Promise<DeletionRead> {
  const deletion = await app.store.findDeletion(deletionRequestId, organizationId);
  if (deletion === undefined) throw new AppError("no_such_deletion");
  return { deletion, receipt: await findReceipt(app, deletion) };
}

/** Every completed deletion has one: both are written in the same transaction. */
export async function findReceipt(
  { store }: App,
  { status, deletionRequestId, organizationId }: Deletion,
): Promise<Receipt | undefined> {
  if (status !== "completed") return undefined;
  return store.findReceipt(deletionRequestId, organizationId);
}

/** Throws OperatorError no_such_organization. */
export async function listDeletions(
  app: App,
  filter: DeletionFilter,
): Promise<readonly Deletion[]> {
  await requireOrganization(app, filter.organizationId);
  return app.store.listDeletions(filter);
}

export function viewDeletion(deletion: Deletion, receipt: Receipt | undefined): DeletionView {
  const { completedAt } = deletion;
  return {
    deletion_request_id: deletion.deletionRequestId,
    resource_type: deletion.resourceType,
    resource_id: deletion.resourceId,
    status: deletion.status,
    requested_at: new Date(deletion.requestedAt).toISOString(),
    ...viewDue(deletion),
    ...(completedAt === undefined
      ? {}
      : { completed_at: new Date(completedAt).toISOString(), erased: deletion.erased }),
    ...(receipt === undefined ? {} : { receipt }),
  };
}

/** The end of the grace period or of the retention floors, whichever is later. */
export function dueTime({ dueAt, floorUntil = 0 }: Deletion): number {
  return Math.max(dueAt, floorUntil);
}

function viewDue(deletion: Deletion): Pick<DeletionView, "due_at"> {
  const due = dueTime(deletion);
  if (deletion.status !== "pending" || due <= deletion.requestedAt) return {};
  return { due_at: new Date(due).toISOString() };
}
