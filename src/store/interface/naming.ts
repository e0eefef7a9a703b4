// Records that name parties, which are persons and companies, as sender or receiver: the queries and their results.

import type { NodeKey } from "../../domain/deletion/erasure.ts";
import type { ResourceType } from "../../domain/record-type.ts";

/** A record of one organization. */
export interface Place {
  readonly resourceType: ResourceType;
  readonly resourceId: string;
}

export interface NamingQuery {
  readonly organizationId: string;
  readonly parties: readonly string[];
  /** The last record of the previous page; undefined for the first page. */
  readonly after: Place | undefined;
  /** Records that are read, whether or not they name a party. */
  readonly recordsMax: number;
}

/** A record that names these parties in any of its changes. */
export interface Naming extends Place {
  readonly parties: readonly string[];
}

export interface NamingPage {
  readonly namings: readonly Naming[];
  /** The last record that was read; undefined at the end. */
  readonly last: Place | undefined;
}

/** A record in which the id of a party is to be replaced. */
export interface NamingTarget {
  readonly record: NodeKey;
  readonly reference: NodeKey;
  readonly restricted: false;
}

/** How far a pass over all records that name parties has come. */
export interface Pass {
  /** Every change up to this arrival number is visible to all of its pages. */
  readonly upTo: number;
  /** The last record of the previous page; undefined at the beginning. */
  readonly after: Place | undefined;
  readonly found: boolean;
}

export interface PartyErasure {
  readonly pseudonym: string;
  readonly pass: Pass | undefined;
  /** No record names the party in any change up to this arrival number. */
  readonly verifiedTo: number | undefined;
}

/**
 * `pass`: the place to continue from; undefined for the first record. `verifiedTo`: set if the pass has ended and found
 * no record.
 */
export type ScanProgress = { readonly pass: Pass | undefined } | { readonly verifiedTo: number };
