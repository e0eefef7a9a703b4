// The key of a record, a write as actions pass it to the store, and its outcome.

import type { ErrorName } from "../error.ts";
import type { RelationKind, ResourceType } from "../record-type.ts";
import type { NormalisedTimestamp } from "../timestamp.ts";

export interface RecordKey {
  readonly organizationId: string;
  readonly resourceType: ResourceType;
  readonly resourceId: string;
}

/** The key of a record where the organization is known. */
export type KeyInOrganization = Omit<RecordKey, "organizationId">;

/** The key as text. Ids and types contain no control characters. */
export function keyText({ organizationId, resourceType, resourceId }: RecordKey): string {
  return `${organizationId}\n${resourceType}\n${resourceId}`;
}

export interface Reference {
  readonly to: ResourceType;
  readonly id: string;
  readonly kind: RelationKind;
}

/** One valid submission, ready to be stored. */
export interface Draft {
  readonly id: string;
  readonly timestamp: NormalisedTimestamp;
  /** Canonical JSON: known fields in the order of the type. Equal text means an identical submission. */
  readonly payload: string;
  readonly references: readonly Reference[];
}

/**
 * add: refused if the record exists (40901, 40902).
 * append: creates, or records a further change, and skips an identical one (the transactions batch).
 * update: refused if the record does not exist (40401); always records a change.
 */
export type WriteMode = "add" | "append" | "update";

/** The Idempotency-Key of a write; both are SHA-256, so neither contains what the client sent. */
export interface IdempotencyMark {
  readonly keyHash: Uint8Array;
  readonly fingerprint: Uint8Array;
}

export interface RecordWrite {
  readonly organizationId: string;
  readonly resourceType: ResourceType;
  readonly mode: WriteMode;
  /** If true, each draft is independent; otherwise all are written or none. */
  readonly lenient: boolean;
  readonly drafts: readonly Draft[];
  /** Unix milliseconds of arrival. */
  readonly receivedAt: number;
  readonly idempotency?: IdempotencyMark | undefined;
  /** In a lenient write, in place of `idempotency`: a mark for each draft, as if each were a request of its own. */
  readonly marks?: readonly IdempotencyMark[] | undefined;
}

/** `idempotency_reused` occurs only as the outcome of a draft with its own mark. */
export type RecordRefusal = Extract<
  ErrorName,
  | "identical_record_exists"
  | "record_exists"
  | "no_such_record"
  | "deletion_open"
  | "idempotency_reused"
>;

/** In a refused strict write, valid drafts have `created` and so on, though nothing was written. */
export type DraftOutcome = "created" | "updated" | "unchanged" | RecordRefusal;

/** `drafts` has an entry for each draft, in order. No id and no content, so that it may be stored for a key. */
export interface WriteOutcome {
  readonly written: number;
  readonly drafts: readonly DraftOutcome[];
  /** It is the outcome of earlier requests with the same Idempotency-Key; this one has written nothing. */
  readonly repeated?: true;
}

export interface Change {
  readonly changeNo: number;
  readonly receivedAt: number;
  readonly payload: string;
}

export interface ExportedChange extends Change {
  readonly resourceId: string;
}

export interface Sighting {
  readonly firstSeen: NormalisedTimestamp;
  readonly lastSeen: NormalisedTimestamp;
}

export interface RecordHistory extends Sighting {
  /** In arrival order. */
  readonly changes: readonly Change[];
}

/** What the feed contains for recipients instead of a change. */
export interface ArrivedNotice {
  readonly kind: "erased" | "completed";
  readonly deletionRequestId: string;
}

export interface ArrivedChange {
  /** Present for a notice, whose `resourceId` is that of the erased record, or of the completed deletion. */
  readonly notice?: ArrivedNotice;
  readonly changeNo: number;
  /** Unix milliseconds. */
  readonly receivedAt: number;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly isFirst: boolean;
  /** Undefined unless it was asked for. */
  readonly payload: string | undefined;
}
