// The restricted store, on every engine: records that deletions had to keep. They are read like any other records, with
// the id of the set as the id of the organization.

import type { Deletion } from "../../domain/deletion/deletion.ts";
import type { KeptReference, RestrictedRecord } from "../../domain/deletion/restricted-set.ts";

export interface SetPage {
  /** The organization that the records come from; undefined for all. */
  readonly organizationId: string | undefined;
  /** Lists the sets after this one. */
  readonly after: string;
  readonly limit: number;
}

export interface RestrictedRecordPage {
  readonly set: string;
  readonly after: Pick<RestrictedRecord, "resourceType" | "resourceId"> | undefined;
  readonly limit: number;
}

export interface KeptReferencePage {
  readonly set: string;
  readonly after: KeptReference | undefined;
  readonly limit: number;
}

/** A set whose deletion is unknown or completed, although it has records. */
export interface StraySet {
  readonly set: string;
  readonly status: string | undefined;
}

export interface RestrictedStore {
  /** The deletions of sets that are not erased yet, in the order of their ids. */
  listSets(page: SetPage): Promise<readonly Deletion[]>;
  listRecords(page: RestrictedRecordPage): Promise<readonly RestrictedRecord[]>;
  listReferences(page: KeptReferencePage): Promise<readonly KeptReference[]>;
  /** Finds a few such sets, for the check of the store. */
  findStraySets(): Promise<readonly StraySet[]>;
}
