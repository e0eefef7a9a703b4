// Records that name parties (persons and companies) as sender or receiver: the queries and their results.

import type { RetentionFloor } from "../../domain/retention/floor.ts";
import type { ResourceType } from "../../domain/record-type.ts";

/** A record of one organization. */
export interface Place {
  readonly resourceType: ResourceType;
  readonly resourceId: string;
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
export interface Naming extends Place {
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
