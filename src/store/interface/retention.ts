// Retention on every engine: the floors that plans of deletions obey, of which an organization has at most one for each
// record type; and the records whose retention period has ended.

import type { RecordKey } from "../../domain/record/record-write.ts";
import type { FloorRule } from "../../domain/retention/floor.ts";
import type { NormalisedTimestamp } from "../../domain/timestamp.ts";

/** If `rule` is undefined, the floor of the type is removed. */
export interface FloorChange {
  readonly organizationId: string;
  readonly resourceType: string;
  readonly rule: FloorRule | undefined;
}

/** `above_ceiling`: the organization deletes records earlier than the floor allows. Nothing was changed. */
export type FloorOutcome =
  | { readonly result: "changed" | "unchanged" }
  | { readonly result: "no_such_organization" }
  | { readonly result: "above_ceiling"; readonly retainDays: number };

/** The part of an organization's records that retention scans next, in the order of type and id. */
export interface ExpiryQuery {
  readonly organizationId: string;
  /** The retention period of records last seen before this has ended. */
  readonly before: NormalisedTimestamp;
  /** Undefined: from the beginning. */
  readonly after: RecordKey | undefined;
  readonly scannedMax: number;
  readonly now: number;
}

/**
 * Whether retention may delete a record whose period has ended. `needed`: something that belongs to the record was seen
 * later, and keeps it for as long. `open`: the record has an open deletion. `floor`: the record is under a retention
 * floor.
 */
export type Expiry = "due" | "held" | "open" | "needed" | "floor";

export interface ExpiredPart {
  readonly expired: readonly { readonly key: RecordKey; readonly expiry: Expiry }[];
  /** Where to continue; undefined at the end. */
  readonly next: RecordKey | undefined;
}
