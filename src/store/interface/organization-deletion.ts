// The request to delete a closed organization, and its result.

import type { CompleteExport } from "../../domain/deletion/organization-deletion.ts";

/** The deletion of everything that belongs to a closed organization. */
export interface OrganizationDeletionRequest {
  readonly organizationId: string;
  readonly deletionRequestId: string;
  readonly reason: string;
  readonly requestedBy: string;
  /** What was exported before; it is recorded with the request. */
  readonly exported?: CompleteExport | undefined;
}

export interface OpenedDeletion {
  readonly deletionRequestId: string;
  /** False if it had been requested before. */
  readonly isNew: boolean;
}
