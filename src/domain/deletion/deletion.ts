// A deletion request, its states and the transitions between them.

import type { RecordKey } from "../record/record-write.ts";
import type { ResourceType } from "../record-type.ts";
import type { DeletionBasis } from "./basis.ts";

/**
 * pending → processing → completed; pending → cancelled (operator only). There is no failed state: after a failure it
 * remains `processing` and is retried with back-off (contract, section 7).
 */
export const deletionStatuses = ["pending", "processing", "completed", "cancelled"] as const;
export type DeletionStatus = (typeof deletionStatuses)[number];

export const openStatuses = ["pending", "processing"] as const satisfies DeletionStatus[];

/** Number of erased records by type; types with none are omitted. */
export type ErasedCounts = Readonly<Partial<Record<ResourceType, number>>>;

/** The receipt that a deletion had before a restore; null for what the ledger does not know. */
export interface ProcessedBefore {
  readonly because: "restore";
  readonly completed_at: string | null;
  readonly receipt_no: number | null;
  readonly receipt: string | null;
}

/** The approval of a deletion that needs one. Never grants it. */
export interface DeletionApproval {
  /** Who requested the deletion and may not approve it: the name of an operator, or the id of an API key. */
  readonly requester: string;
  /** Undefined until it is approved, as `approvedAt`. */
  readonly approvedBy: string | undefined;
  readonly approvedAt: number | undefined;
}

export interface Deletion extends RecordKey {
  readonly deletionRequestId: string;
  readonly reason: string;
  /** Present only if the request stated one. */
  readonly basis?: DeletionBasis | undefined;
  readonly status: DeletionStatus;
  /** The id of the API key that issued the token of the request; "operator" for a request of an operator. */
  readonly requestedBy: string;
  /** The name of the operator, which the organization does not see; undefined for other requests. */
  readonly requester?: string;
  /** Unix milliseconds, like all times here. */
  readonly requestedAt: number;
  /** The end of the grace period. The deletion is not processed before. */
  readonly dueAt: number;
  readonly startedAt: number | undefined;
  readonly completedAt: number | undefined;
  readonly erased: ErasedCounts;
  /** Records that were moved to the restricted store instead of being erased, because they have to be kept. */
  readonly kept: ErasedCounts;
  /** For the deletion that erases a restricted set: the organization that its records come from. */
  readonly restrictedOf: string | undefined;
  /** References removed from records that remain. */
  readonly redacted: number;
  readonly redactedByType: ErasedCounts;
  readonly attempts: number;
  /** Why the deletion is not completed yet, for operators: the last failure, or the hold or floor that it waits for. */
  readonly waitingFor: string | undefined;
  readonly nextAttemptAt: number | undefined;
  /** When the retention floor that the deletion waits for ends, if known. */
  readonly floorUntil: number | undefined;
  /** True if the worker has found a hold that the deletion waits for. */
  readonly isHeld?: boolean;
  readonly approval?: DeletionApproval;
  /** Present only for a replay, after restoring a backup has undone the deletion. */
  readonly processedBefore?: ProcessedBefore;
}

/** What the plan of a deletion depends on besides the records, also of one that is not requested yet. */
export type PlanSubject = RecordKey &
  Pick<
    Deletion,
    "deletionRequestId" | "restrictedOf" | "requestedAt" | "processedBefore" | "status"
  >;

/** For operators: the organization sees only `requestedBy`. */
export function requesterOf({ requester, approval, requestedBy }: Deletion): string {
  return requester ?? approval?.requester ?? requestedBy;
}

/** The end of the grace period or of the retention floors, whichever is later. */
export function dueTime({ dueAt, floorUntil = 0 }: Deletion): number {
  return Math.max(dueAt, floorUntil);
}

/** What operators are shown as the reason why such a deletion waits. */
export const approvalWait = "the approval of a second person";

/** A replay after a restore needs no approval: the deletion was completed before, so it had been approved. */
export function awaitsApproval({
  approval,
  status,
  processedBefore,
}: Pick<Deletion, "approval" | "status" | "processedBefore">): boolean {
  if (approval === undefined || approval.approvedAt !== undefined) return false;
  return status === "pending" && processedBefore === undefined;
}
