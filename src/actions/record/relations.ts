// Reads the relations of a record: what refers to it, by type, and what it refers to. Reads a bounded number of rows,
// and none of confidential types for people who may not know of them.

import { recordTypes } from "../../domain/record-types.ts";
import type { KeyInOrganization, RecordKey } from "../../domain/record/record-write.ts";
import type { RelatedRecord } from "../../store/interface/deletion.ts";
import type { App } from "../app.ts";
import { viewerOf } from "../operator/viewer.ts";
import { requireFindable } from "./find-records.ts";

export interface Referrers {
  readonly resourceType: string;
  readonly records: readonly RelatedRecord[];
  readonly hasMore: boolean;
}

export interface Relations {
  /** Types without such a record are omitted. */
  readonly referrers: readonly Referrers[];
  readonly references: readonly RelatedRecord[];
  readonly hasMoreReferences: boolean;
}

export interface RelationBounds {
  readonly referrersMax: number;
  readonly referencesMax: number;
}

/** The caller has checked that this person may find the record. */
export async function readRelations(
  app: App,
  key: RecordKey,
  { referrersMax, referencesMax }: RelationBounds,
): Promise<Relations> {
  const { organizationId } = key;
  const knows = await viewerOf(app).knowledge(organizationId);
  const types = recordTypes.filter(
    ({ resourceType, relations }) =>
      relations.some(({ to }) => to === key.resourceType) &&
      knows({ organizationId, resourceType }),
  );
  const referrers = await Promise.all(
    types.map(({ resourceType }) =>
      readReferrers(app, key, { resourceType, after: undefined, recordsMax: referrersMax }),
    ),
  );
  const references = await app.store.overview.listReferences(key, referencesMax + 1);
  return {
    referrers: referrers.filter(({ records }) => records.length > 0),
    references: references.slice(0, referencesMax),
    hasMoreReferences: references.length > referencesMax,
  };
}

export interface ReferrerQuery {
  readonly resourceType: string;
  readonly after: string | undefined;
  readonly recordsMax: number;
}

/**
 * A part of the records of one type that refer to a record, which need not exist, in the order of their ids. Throws
 * OperatorError not_permitted, invalid, no_such_type and no_such_organization.
 */
export async function listReferrers(
  app: App,
  key: RecordKey,
  query: ReferrerQuery,
): Promise<Referrers> {
  await requireFindable(app, key);
  const { resourceType } = query;
  const { organizationId } = key;
  if (!(await viewerOf(app).knows({ organizationId, resourceType })))
    return { resourceType, records: [], hasMore: false };
  return readReferrers(app, key, query);
}

async function readReferrers(
  { store }: App,
  key: RecordKey,
  { resourceType, after, recordsMax }: ReferrerQuery,
): Promise<Referrers> {
  const part = { ...key, fromType: resourceType, after, limit: recordsMax + 1 };
  const referrers = await store.overview.listReferrersOfType(part);
  return {
    resourceType,
    records: referrers.slice(0, recordsMax),
    hasMore: referrers.length > recordsMax,
  };
}

export interface NamingPart {
  readonly records: readonly KeyInOrganization[];
  readonly hasMore: boolean;
}

/** How many transactions a page shows that the index of parties has found. */
const namingsMax = 100;

/** Throws like `listReferrers`. */
export async function searchNamings(app: App, key: RecordKey): Promise<NamingPart> {
  await requireFindable(app, key);
  return readNamings(app, key);
}

/**
 * Transactions that name a party as sender or receiver, the first ones that arrived. Their type is never confidential.
 * The caller has checked that this person may find the party.
 */
export async function readNamings(
  { store }: App,
  { organizationId, resourceId: party }: RecordKey,
): Promise<NamingPart> {
  const query = { organizationId, party, after: undefined, recordsMax: namingsMax };
  const { namings, last } = await store.readNamings(query);
  return { records: namings, hasMore: last !== undefined };
}
