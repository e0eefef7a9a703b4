// Retention on every engine: the floors that plans of deletions obey, of which an organization has at most one for each
// record type; and the records whose retention period has ended.

import type { ErasedCounts } from "../../domain/deletion/deletion.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import type { Ceiling, RetentionBounds } from "../../domain/retention/ceiling.ts";
import type { FloorRule } from "../../domain/retention/floor.ts";
import type { Unapproved } from "./proposal.ts";

/** No change of a record up to `after` names one of these parties, whose erasure has begun. */
export interface Unnamed {
  readonly after: number;
  readonly parties: readonly string[];
}

/** How many holds there are on records of one type in an organization. */
export interface HoldCounts {
  readonly organizationId: string;
  readonly resourceType: string;
  readonly holds: number;
  readonly reviewsOverdue: number;
  readonly reviewsAhead: number;
  readonly holdsEnding: number;
  /** From which counting continues. */
  readonly lastHoldId: string;
}

/** If `rule` is undefined, the rule of the type is removed. */
export interface FloorChange {
  readonly organizationId: string;
  readonly resourceType: string;
  readonly rule: FloorRule | undefined;
  /** The rule that the change assumes; if missing, the current rule does not matter. */
  readonly before?: FloorRule | "none";
}

/** Nothing was changed. `above_ceiling`: records would be erased earlier. `changed_before`: there is another rule. */
export type FloorOutcome =
  | { readonly result: "changed" | "unchanged" }
  | { readonly result: "no_such_organization" | "changed_before" }
  | { readonly result: "above_ceiling"; readonly ceilingDays: number }
  | ({ readonly result: "unapproved" } & Unapproved);

/** A closed organization, and until when something has to keep its records. */
export interface KeptQuery {
  readonly organizationId: string;
  /** Unix milliseconds. */
  readonly closedAt: number;
  readonly until: number;
}

/**
 * The part of an organization's records that retention scans next, in the order of type and id. The floors and ceilings
 * may be others than those that are stored; records of types without a ceiling are not read.
 */
export interface ExpiryQuery extends RetentionBounds {
  readonly organizationId: string;
  /** Undefined: from the beginning. */
  readonly after: RecordKey | undefined;
  /** The last record that is read; undefined: to the end. */
  readonly upTo?: RecordKey | undefined;
  readonly scannedMax: number;
  /** The time at which records are evaluated; a later one for a preview. */
  readonly now: number;
}

/**
 * Whether retention may delete a record whose period has ended. `needed`: a record that belongs to it was seen later,
 * and keeps it until that one's period has ended. `open`: the record has an open deletion. `floor`: the record is under
 * a retention floor.
 */
export type Expiry = "due" | "held" | "open" | "needed" | "floor";

export interface Expired {
  readonly key: RecordKey;
  readonly expiry: Expiry;
  /** The ceiling that it has reached. */
  readonly ceiling: Ceiling;
  /** When it reached that ceiling. */
  readonly passedAt: number;
  /** Whether a change of it arrived less than a day ago: its business times may be wrong. */
  readonly isRecent: boolean;
}

export interface ExpiredPart {
  readonly expired: readonly Expired[];
  /** Where to continue; undefined at the end. */
  readonly next: RecordKey | undefined;
  /** When the first of the other records that were read reaches its ceiling, unless it changes before. */
  readonly dueFrom: number;
  /** Whether no record was read. */
  readonly isEmpty: boolean;
}

/** An expired record, and when its deletion is requested. */
export interface DueRecord extends RecordKey {
  readonly requestedAt: number;
}

/** Records that have expired, and would be deleted at that time. */
export interface ErasedQuery extends RetentionBounds, Pick<ExpiryQuery, "organizationId" | "now"> {
  readonly due: readonly DueRecord[];
  /** How many relations are read at a time. */
  readonly relationsMax: number;
  /** Whether records of confidential types are counted too, for somebody who may know of them. */
  readonly confidential?: boolean;
}

export interface ErasedPreview {
  /** Records whose deletion would wait for a hold or a floor on something that it would erase or change. */
  readonly waiting: readonly Pick<Expired, "key" | "expiry">[];
  /** Counts, for each type, the records that would be erased too, because they belong only to what is erased. */
  readonly erasedWith: ErasedCounts;
  /** Counts, for each type, the records that would be erased with the last of several that they belong to. */
  readonly shared: ErasedCounts;
  /** How many records were left out, because too many others belong to them. */
  readonly inPart: number;
}
