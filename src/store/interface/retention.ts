// Retention on every engine: the floors that plans of deletions obey, of which an organization has at most one for each
// record type; and the records whose retention period has ended.

import type { Deletion } from "../../domain/deletion/deletion.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import type { RetentionFloor } from "../../domain/retention/floor.ts";
import type { NormalisedTimestamp } from "../../domain/timestamp.ts";
import type { Act } from "./act.ts";

/** If `rule` is undefined, the floor of the type is removed. */
export interface FloorChange {
  readonly organizationId: string;
  readonly resourceType: string;
  readonly rule: Pick<RetentionFloor, "keepDays" | "countedFrom"> | undefined;
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

export interface RetentionStore {
  /**
   * Sets a floor. In the same transaction, makes the first deletions due that wait for a floor of the organization;
   * `wakeFrom` makes the others due.
   */
  setFloor(change: FloorChange, act: Act): Promise<FloorOutcome>;
  /**
   * Makes a bounded number of deletions due, after this one in the order of their ids. Returns the last one; undefined
   * at the end.
   */
  wakeFrom(organizationId: string, after: string): Promise<string | undefined>;
  /** Does the same for the restricted sets of the organization, which wait for its floors too. */
  wakeSetsFrom(organizationId: string, after: string): Promise<string | undefined>;
  /** Lists floors in the order of organizations and types; those of all organizations if none is named. */
  listFloors(organizationId: string | undefined): Promise<readonly RetentionFloor[]>;
  /** Finds the floor that a pending deletion of a record waits for now. */
  findFloorNow(deletion: Deletion, now: number): Promise<FloorNow>;
}

/**
 * The floor that a deletion waits for according to its current records; `unknown` if finding it takes more reads than
 * one reply may cost.
 */
export type FloorNow = Partial<Pick<Deletion, "floorUntil" | "waitingFor">> | "unknown";
