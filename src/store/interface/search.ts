// The index by which persons and companies are found: what it contains of a record, and how it is searched. It never
// contains a value, only hashes that the caller has made.

import type { Change, RecordKey } from "../../domain/record/record-write.ts";

/** A hash by which a record is found. */
export interface SearchToken {
  readonly hash: Uint8Array;
  readonly field: string;
  /** Whether only changes before the latest state have the value. */
  readonly former: boolean;
}

/** What the index is to contain of a record. */
export interface IndexedRecord extends RecordKey {
  /** The latest change that was read: if there is a later one, the record remains due. */
  readonly changeNo: number;
  readonly tokens: readonly SearchToken[];
}

export interface SearchState {
  /** Identifies the key of the hashes; 0 if none is in use yet. */
  readonly keyCheck: number;
  /** The number of arrival up to which all changes are indexed. */
  readonly indexedNo: number;
}

export interface DuePage {
  /** Changes beyond this number, and up to `through`. */
  readonly after: number;
  readonly through: number;
  /** A change that another one of its record follows by then is left out. */
  readonly settled: number;
  readonly limit: number;
}

/** A record that is due because of this change. */
export interface DueRecord extends RecordKey {
  readonly changeNo: number;
}

export interface IndexStep extends Pick<SearchState, "keyCheck"> {
  /** Moves with what is stored, if it still is where it was when the records were read. Undefined: it stays. */
  readonly mark?: { readonly from: number; readonly to: number };
}

/** A change of a record that is due. */
export type DueChange = RecordKey & Change;

export interface TokenSearch {
  readonly organizationId: string;
  readonly hashes: readonly Uint8Array[];
  /** How many records are read of each hash. */
  readonly recordsMax: number;
  /** How many rows are read of all hashes, and how many pairs of a hash and a record are then looked up. */
  readonly rowsMax: number;
}

export interface FoundToken {
  /** The position of its hash in the search. */
  readonly at: number;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly field: string;
  readonly former: boolean;
}

export interface TokensFound {
  readonly tokens: readonly FoundToken[];
  /** Whether more records than were read have one of the hashes, even several of them. */
  readonly more: boolean;
}
