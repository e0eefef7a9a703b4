// Deletions: the requests to a store about them, and its answers.

import type { DeletionBasis } from "../../domain/deletion/basis.ts";
import type { Deletion, DeletionStatus } from "../../domain/deletion/deletion.ts";
import type { IdempotencyMark, RecordKey } from "../../domain/record/record-write.ts";

export interface DeletionRequest extends RecordKey {
  readonly reason: string;
  readonly basis?: DeletionBasis | undefined;
  /** Used only if no deletion of the record is open. */
  readonly deletionRequestId: string;
  readonly dueAt: number;
  /** True for a deletion that a rule requests, not a person or a program: it needs no approval. */
  readonly isAutomatic?: boolean;
  /** The requester named in the deletion and its receipt; the default is the actor. */
  readonly requestedBy?: string;
  readonly idempotency?: IdempotencyMark | undefined;
}

/**
 * Why a deletion was not approved. `own_request`: the actor requested it, or
 * created the key that did. `not_needed`: its organization did not
 * require an approval when it was requested. `no_such_person`: the actor is not an operator, or is disabled.
 */
export type NotApproved =
  | "no_such_deletion"
  | "no_such_person"
  | "not_pending"
  | "not_needed"
  | "approved_before"
  | "own_request";

export interface Claim {
  readonly now: number;
  readonly leaseUntil: number;
  readonly claimant: string;
}

/** The result of one step of an erasure. */
export interface ErasureStep {
  /** Deletions with nothing left to erase, which can be completed. */
  readonly done: readonly string[];
  /** How long the step has worked, without the time it waited for its turn. */
  readonly workMs: number;
  /** How many arrival numbers the step has taken for notices to recipients. */
  readonly notices?: number;
  /** The latest arrival number. If it has grown by more than that, others have written. */
  readonly latestArrival: number;
}

export interface DeletionFigures {
  readonly byStatus: Readonly<Record<DeletionStatus, number>>;
  /** Open deletions that wait for the release of a hold. */
  readonly held: number;
  /** Open deletions that wait for the end of a retention floor. */
  readonly underFloor: number;
  /** When the oldest overdue deletion became due. Deletions that wait for a hold or a floor don't count. */
  readonly oldestDueAt: number | undefined;
  /** When the deletion that has been processing for longest began, without those that wait for a hold or a floor. */
  readonly oldestStartedAt: number | undefined;
}

export interface ProcessingDeletion {
  readonly deletionRequestId: string;
  readonly organizationId: string;
  readonly startedAt: number;
}

export interface CompletedDeletion {
  readonly result: "completed";
  readonly deletion: Deletion;
  /** How many arrival numbers were taken for notices to recipients. */
  readonly notices: number;
}

/**
 * The result of completing a deletion. `again`: the verification pass found something and added it to the plan, so it
 * has to be erased and verified again; `isPart`: more that was found follows. `scanning`: a part of the verification is
 * done; call again.
 */
export type Completion =
  | CompletedDeletion
  | { readonly result: "again"; readonly isPart?: boolean }
  | { readonly result: "scanning" }
  | { readonly result: "failed"; readonly cause: unknown };
