// The request to delete a closed organization, and the answer.

/** The deletion of everything that belongs to a closed organization. */
export interface OrganizationDeletionRequest {
  readonly organizationId: string;
  readonly deletionRequestId: string;
  readonly reason: string;
  readonly requestedBy: string;
}

export interface OpenedDeletion {
  readonly deletionRequestId: string;
  /** False if it had been requested before. */
  readonly isNew: boolean;
}
