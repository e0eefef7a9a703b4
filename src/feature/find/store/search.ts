// The index by which persons and companies are found: what it contains of a record, and how it is searched. It never
// contains a value, only hashes that the caller has made.

import type { Change, RecordKey } from "../../../domain/record/record-write.ts";

/** A hash by which a record is found. */
export interface SearchToken {
  readonly hash: Uint8Array;
  readonly field: string;
  /** Whether only changes before the latest state contain the value. */
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
  /** The arrival number up to which all changes are indexed. */
  readonly indexedNo: number;
}

export interface DuePage {
  /** Changes beyond this number, and up to `through`. */
  readonly after: number;
  readonly through: number;
  /** If a record has several changes in this range, only the last one is read. */
  readonly settled: number;
  readonly limit: number;
}

/** A record that is due because of this change. */
export interface DueRecord extends RecordKey {
  readonly changeNo: number;
}

export interface IndexStep extends Pick<SearchState, "keyCheck"> {
  /** The new mark, which is stored if the mark has not moved since the records were read. Undefined: the mark stays. */
  readonly mark?: { readonly from: number; readonly to: number };
}

/** A change of a record that is due. */
export type DueChange = RecordKey & Change;

export interface TokenSearch {
  readonly organizationId: string;
  readonly hashes: readonly Uint8Array[];
  /** How many records are read for each hash. */
  readonly recordsMax: number;
  /** How many rows are read for all hashes, and how many pairs of a hash and a record are then looked up. */
  readonly rowsMax: number;
}

export interface FoundToken {
  /** The position of the hash in the search. */
  readonly at: number;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly field: string;
  readonly former: boolean;
}

export interface TokensFound {
  readonly tokens: readonly FoundToken[];
  /** Whether some hash, or several together, match more records than were read. */
  readonly more: boolean;
}
