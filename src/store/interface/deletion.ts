// Deletions: the requests to a store about them, previews of their plans, the records that name a party, and receipts.

import type { DeletionBasis } from "../../domain/deletion/basis.ts";
import type { Deletion, DeletionStatus, PlanSubject } from "../../domain/deletion/deletion.ts";
import type {
  IdempotencyMark,
  KeyInOrganization,
  RecordKey,
} from "../../domain/record/record-write.ts";
import type { DryRun } from "../../domain/deletion/dry-run.ts";
import type { RelationKind, ResourceType } from "../../domain/record-type.ts";
import type { RetentionFloor } from "../../domain/retention/floor.ts";
import type {
  Receipt,
  ReceiptKey,
  ReceiptPlace,
  SealingHead,
} from "../../domain/deletion/receipt.ts";
import type { ReceiptCounts } from "../../domain/deletion/receipt-count.ts";
import type { EngineTraits } from "./engine-traits.ts";

export interface DeletionRequest extends RecordKey {
  readonly reason: string;
  readonly basis?: DeletionBasis | undefined;
  /** Used only if no deletion of the record is open. */
  readonly deletionRequestId: string;
  readonly dueAt: number;
  /** True for a deletion that a rule requests, not a person or a program: it needs no approval. */
  readonly isAutomatic?: boolean;
  /** The requester named in the receipt and to the organization; the default is the actor. */
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
  /** Ends the claim; a large plan that is being made stays undone, and the deletion `pending`. */
  readonly stopping?: AbortSignal | undefined;
}

/** `failure`: why its plan could not be made; it is still `pending`, and whoever claims it postpones it. */
export interface ClaimedDeletion extends Deletion {
  readonly failure?: unknown;
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

/** Figures for the overview of the console, each up to a bound. */
export interface DeletionQueue {
  /** Pending or processing. */
  readonly open: number;
  /** Due, and waiting for neither an approval, a hold nor a floor. */
  readonly overdue: number;
  readonly oldestDueAt: number | undefined;
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

export interface DryRunQuery {
  /** A deletion that is pending, or one that would be requested now. */
  readonly deletion: PlanSubject;
  /** The time of the plan; a later one for a preview of that time. */
  readonly now: number;
  /** Others affect neither the plan nor its time. Undefined: what all may know who may know of this deletion. */
  readonly types: readonly ResourceType[] | undefined;
  /** How many relations are read. */
  readonly relationsMax: number;
  /** About how many records that name the person or the company one part reads. */
  readonly recordsMax: number;
  /** The number of the change where the previous part has ended; undefined for the first one. */
  readonly after: number | undefined;
}

export interface DryRunPart extends DryRun {
  /** Where the next part begins; undefined if this was the last one. */
  readonly next: number | undefined;
}

/** The record at the other end of a relation. */
export interface RelatedRecord extends KeyInOrganization {
  readonly kind: RelationKind;
}

/** What numbers over completed deletions are made of. */
export interface CompletedRow extends Pick<
  Deletion,
  "deletionRequestId" | "organizationId" | "resourceType" | "requestedAt" | "erased" | "kept"
> {
  readonly completedAt: number;
}

interface NamingPart {
  /** The organization or the restricted set. */
  readonly organizationId: string;
  /** Selects changes with a higher number; if missing, all. */
  readonly after?: number | undefined;
  /** How many changes that name a party the index is searched for. */
  readonly recordsMax: number;
}

export interface NamingQuery extends NamingPart {
  readonly party: string;
}

export interface NamingsQuery extends NamingPart {
  readonly parties: readonly string[];
}

/** A record that names these parties in any of its changes. */
export interface Naming extends KeyInOrganization {
  readonly parties: readonly string[];
}

export interface NamingPage {
  /** A record with several changes may be on several pages. */
  readonly namings: readonly Naming[];
  /** The number of the change after which the next page begins; undefined if this is the last one. */
  readonly last: number | undefined;
}

export interface FoundNamings extends Pick<NamingPage, "namings"> {
  /** For each party that more changes may name: the number of the last change that was searched. */
  readonly ends: ReadonlyMap<string, number>;
  /** Whether more arrived beyond the index than one transaction scans, so that the index has to advance first. */
  readonly isBehind: boolean;
}

/** The floor that ends last of the records that name a party; `until`: when it ends. */
export interface PartyFloor extends Pick<
  RetentionFloor,
  "resourceType" | "keepDays" | "countedFrom"
> {
  readonly until: number;
}

/** A signed receipt, to be written in the transaction that completes its deletion. */
export interface SealedReceipt {
  readonly receipt: ReceiptPlace;
  /** The form that is hashed. It is serialized once, because text passes between threads faster than an object. */
  readonly document: string;
  /** The numbers whose hashes it contains. */
  readonly counts: ReceiptCounts;
  readonly hash: string;
  /** The key that signed it; stored with it if it is new. */
  readonly key: ReceiptKey;
}

/** Signs the receipt of a deletion that is being completed. Throws if there is no key. */
export type SealReceipt = (
  deletion: Deletion,
  context: { readonly head: SealingHead; readonly engine: EngineTraits["verification"] },
) => SealedReceipt;

export interface StoredReceipt {
  /** The order in which receipts are listed: first receipts that are in no chain, in any order. */
  readonly rowNo: number;
  readonly receipt: Receipt;
  readonly hash: string;
}
