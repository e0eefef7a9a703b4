// Retention on every engine: the floors that plans of deletions obey, of which an organization has at most one for each
// record type; and the records whose retention period has ended.

import type { RecordKey } from "../../domain/record/record-write.ts";
import type { Ceiling } from "../../domain/retention/ceiling.ts";
import type { FloorRule } from "../../domain/retention/floor.ts";
import type { Unagreed } from "./proposal.ts";

/** If `rule` is undefined, the rule of the type is removed. */
export interface FloorChange {
  readonly organizationId: string;
  readonly resourceType: string;
  readonly rule: FloorRule | undefined;
  /** The rule that the change was made for; whichever there is if missing. */
  readonly before?: FloorRule | "none";
}

/**
 * `above_ceiling`: records would be erased without a request earlier than the floor allows. `changed_before`: the type
 * has another rule than that which the change was made for. Nothing was changed.
 */
export type FloorOutcome =
  | { readonly result: "changed" | "unchanged" }
  | { readonly result: "no_such_organization" | "changed_before" }
  | { readonly result: "above_ceiling"; readonly ceilingDays: number }
  | ({ readonly result: "unagreed" } & Unagreed);

/** The part of an organization's records that retention scans next, in the order of type and id. */
export interface ExpiryQuery {
  readonly organizationId: string;
  /** In the order of their types; records of other types are not read. */
  readonly ceilings: readonly Ceiling[];
  /** Undefined: from the beginning. */
  readonly after: RecordKey | undefined;
  readonly scannedMax: number;
  /** The time for which this is decided; a later one for a preview. */
  readonly now: number;
}

/**
 * Whether retention may delete a record whose period has ended. `needed`: something that belongs to the record was seen
 * later, and keeps it for as long. `open`: the record has an open deletion. `floor`: the record is under a retention
 * floor.
 */
export type Expiry = "due" | "held" | "open" | "needed" | "floor";

export interface Expired {
  readonly key: RecordKey;
  readonly expiry: Expiry;
  /** The ceiling that it has reached. */
  readonly ceiling: Ceiling;
}

export interface ExpiredPart {
  readonly expired: readonly Expired[];
  /** Where to continue; undefined at the end. */
  readonly next: RecordKey | undefined;
}

/** Records that have expired, and would be deleted at this time. */
export interface ErasedQuery extends Pick<ExpiryQuery, "organizationId" | "ceilings" | "now"> {
  readonly due: readonly RecordKey[];
  /** How much is kept in memory: relations, and bytes of the ids in them. */
  readonly entriesMax: number;
  readonly bytesMax: number;
}

export interface ErasedPreview {
  /** Records whose deletion would wait for a hold or a floor of what it would erase or change. */
  readonly waiting: readonly Pick<Expired, "key" | "expiry">[];
  /** For each type: the records that would be erased too, because they belong only to what is erased. */
  readonly erasedWith: Readonly<Record<string, number>>;
  /** For each type: the records that belong to other records too, and would be erased with the last of them. */
  readonly shared: Readonly<Record<string, number>>;
  /** How many of the records were previewed in part, because too much belongs to them. */
  readonly inPart: number;
}
