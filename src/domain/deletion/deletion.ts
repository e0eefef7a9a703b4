// A deletion request and its life: states, the moves between them, and what each of its parts means.

import type { ResourceType } from "../record-type.ts";

/**
 * pending → processing → completed; pending → cancelled (operator only). There is no failed state: what fails goes on
 * being `processing` and is tried again with back-off (contract, section 7).
 */
export const deletionStatuses = ["pending", "processing", "completed", "cancelled"] as const;
export type DeletionStatus = (typeof deletionStatuses)[number];

export const openStatuses = ["pending", "processing"] as const satisfies DeletionStatus[];

/** How many records were erased, by type; types with none are left out. */
export type ErasedCounts = Readonly<Partial<Record<ResourceType, number>>>;

/** The receipt that a deletion had before a restore; null where the ledger does not know it. */
export interface CarriedOutBefore {
  readonly because: "restore";
  readonly completed_at: string | null;
  readonly receipt_no: number | null;
  /** Its hash. */
  readonly receipt: string | null;
}

export interface Deletion {
  readonly deletionRequestId: string;
  readonly organizationId: string;
  readonly resourceType: ResourceType;
  readonly resourceId: string;
  readonly reason: string;
  readonly status: DeletionStatus;
  /** Key id of the API key behind the token that asked; "operator" for one asked for by an operator. */
  readonly requestedBy: string;
  /** Unix milliseconds, as all times here. */
  readonly requestedAt: number;
  /** Not processed before this time (grace period). */
  readonly dueAt: number;
  readonly startedAt: number | undefined;
  readonly completedAt: number | undefined;
  readonly erased: ErasedCounts;
  /** References taken out of records that stay. */
  readonly redacted: number;
  readonly attempts: number;
  /** Why it is not done yet, for operators: last failure, or which hold it waits for. */
  readonly waitingFor: string | undefined;
  readonly nextAttemptAt: number | undefined;
  /** Only where restoring a backup has undone the deletion, and it is replayed. */
  readonly carriedOutBefore?: CarriedOutBefore;
}
