// The audit trail and what it is compared with, on every engine. Never contains record content.

import type { AuditEntry } from "../../domain/access.ts";
import type { ChainHead } from "../../domain/deletion/ledger-entry.ts";
import type { TrailAction } from "../../domain/trail-action.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";

/** An act that does not change the store, such as showing a record. */
export interface AuditNote {
  readonly action: TrailAction;
  readonly organizationId: string | undefined;
  /** The trail outlives a record, so it has only the type of a record and a digest of its id. */
  readonly subject: string | RecordKey;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** The conditions that entries have to meet. Undefined members are no condition. */
export interface AuditQuery {
  readonly actor: string | undefined;
  readonly organizationId: string | undefined;
  /** Can be the part before the dot, such as `key` for `key.create`. */
  readonly action: string | undefined;
  /** Selects entries about one of these. */
  readonly subjects?: readonly string[] | undefined;
  /** Unix milliseconds, inclusive. */
  readonly from: number | undefined;
  /** Unix milliseconds, exclusive. */
  readonly until: number | undefined;
  /** Selects only entries with smaller numbers. */
  readonly before: number | undefined;
  readonly limit: number;
  /** At most how many entries are read, even if few match. */
  readonly examinedMax: number;
}

export interface AuditPart {
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  /** The value of `before` for the next part; undefined at the end. */
  readonly next: number | undefined;
}

export interface AuditDaysQuery {
  /** The beginning of the first day. */
  readonly from: number;
  readonly days: number;
  /** Actions are counted on days that are among so many last entries. */
  readonly examinedMax: number;
}

export interface AuditDay {
  readonly at: number;
  readonly entries: number;
  /** The most frequent first; empty for a day on which they are not counted. */
  readonly actions: readonly (readonly [action: string, count: number])[];
}

/** Where the verification of a part of the chain begins. */
export interface ChainPlace extends ChainHead {
  /** At most how many entries are verified. */
  readonly limit: number;
}

/** A part of the chain, up to and including its last entry. */
export interface VerifiedPart extends ChainHead {
  /** A sentence; undefined if every entry is unaltered and follows from the one before it. */
  readonly fault: string | undefined;
  /** True if there is no further entry. */
  readonly isEnd: boolean;
}
