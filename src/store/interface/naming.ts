// Records that name parties (persons and companies) as sender or receiver: the queries and their results.

import type { RetentionFloor } from "../../domain/retention/floor.ts";
import type { ResourceType } from "../../domain/record-type.ts";

/** A record of one organization. */
export interface Place {
  readonly resourceType: ResourceType;
  readonly resourceId: string;
}

/** The end of a page. */
export interface PageEnd extends Place {
  /** The last change of the record that was read; undefined if all were. */
  readonly changeNo?: number | undefined;
  /** The parties that the changes up to there name, as far as they are known. */
  readonly named?: readonly string[];
}

export interface NamingQuery {
  readonly organizationId: string;
  readonly parties: readonly string[];
  /** The end of the previous page; undefined for the first page. */
  readonly after: PageEnd | undefined;
  /** How many changes are read, whether or not they name a party. */
  readonly changesMax: number;
}

/** A record that names these parties in any of its changes. */
export interface Naming extends Place {
  readonly parties: readonly string[];
}

export interface NamingPage {
  /** Without what an earlier page has found in the same record. */
  readonly namings: readonly Naming[];
  /** Undefined if nothing is left to read. */
  readonly last: PageEnd | undefined;
}

/** The floor that ends last of the records that name a party; `until`: when it ends. */
export interface PartyFloor extends Pick<
  RetentionFloor,
  "resourceType" | "keepDays" | "countedFrom"
> {
  readonly until: number;
}

export interface PartyFloorQuery extends NamingQuery {
  /** The floor rules that apply. */
  readonly floors: readonly RetentionFloor[];
}

export interface PartyFloorPage extends Pick<NamingPage, "last"> {
  /** The keys are the ids of the parties. */
  readonly latest: ReadonlyMap<string, PartyFloor>;
}

/** What a pass over all records has found about the party of a pending deletion. */
export interface PartyFinding {
  /** The floor rules that the pass used. */
  readonly floors: readonly RetentionFloor[];
  /** The pass has seen every change up to this arrival number. */
  readonly upTo: number;
  /** The latest arrival number when it ended. */
  readonly at: number;
  readonly latest: PartyFloor | undefined;
}

/** Each finding follows the id of its deletion. */
export type PartyFindings = readonly (readonly [deletionRequestId: string, PartyFinding])[];

/** The progress of a pass over all records that name parties. */
export interface Pass {
  /** Every change up to this arrival number is visible to all of its pages. */
  readonly upTo: number;
  /** The end of the previous page. */
  readonly after: PageEnd;
}

export interface PartyErasure {
  readonly pseudonym: string;
  readonly pass: Pass | undefined;
  /** Whether the pass has found a record. */
  readonly found: boolean;
  /** The arrival number up to which no record names the party in any change. */
  readonly verifiedTo: number | undefined;
}

/** The findings of one or several pages of a pass. */
export interface ScannedPage extends NamingPage {
  /** The arrival number up to which the pass sees every change. */
  readonly upTo: number;
}

/**
 * `verified`: no record named the party when the pass read it. `found`: the pass has ended, and records that it found
 * have to be rewritten. `scanning`: the pass has not ended. `held`: a hold or a floor protects a record that the pass
 * found. With a cause: the pass failed.
 */
export type ScanResult = "verified" | "found" | "scanning" | "held" | { readonly cause: unknown };

/** The keys are the ids of deletions. */
export type ScanResults = ReadonlyMap<string, ScanResult>;

export interface PartyStep {
  readonly results: ScanResults;
  /** The pass to continue, at the beginning of the step. */
  readonly pass: Pass | undefined;
}
