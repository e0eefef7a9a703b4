// Parts of the history and of the relations of records, page by page. Each statement reads as many rows as it returns,
// and relations without their records.

import type { Change, RecordKey } from "../../../domain/record/record-write.ts";
import type { RelatedRecord } from "../../interface/overview.ts";
import { reader } from "../../row/reader.ts";
import { list, type Statements } from "../statement/statements.ts";
import { inNamedIds } from "../statement/named.ts";
import { keyValues } from "../../shared/record-key.ts";

export interface ReferrerPart extends RecordKey {
  readonly fromType: string;
  /** The last record of the previous part. */
  readonly after: string | undefined;
  readonly limit: number;
}

export interface HistoryPart extends RecordKey {
  /** A change number; undefined for the latest changes. */
  readonly before: number | undefined;
  readonly limit: number;
}

const readPart = `
  SELECT change_no, received_at, payload
  --sqlite FROM record JOIN change USING (record_no)
  --postgres FROM change
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3 AND change_no < $4
  ORDER BY change_no DESC LIMIT $5`;

const findReferrers = `
  SELECT from_type AS resource_type, from_id AS resource_id, kind FROM relation
  WHERE organization_id = $1 AND to_type = $2 AND to_id = $3 AND from_type = $4 AND from_id > $5
  ORDER BY from_id LIMIT $6`;

const findReferences = `
  SELECT to_type AS resource_type, to_id AS resource_id, kind FROM relation
  WHERE organization_id = $1 AND from_type = $2 AND from_id = $3 LIMIT $4`;

const toChange = reader<Change>({});

const toRelated = reader<RelatedRecord>({});

/** Reads changes, the latest first. */
export function* readHistoryPart({
  before = Number.MAX_SAFE_INTEGER,
  limit,
  ...key
}: HistoryPart): Statements<readonly Change[]> {
  return yield* list(toChange, readPart, ...keyValues(key), before, limit);
}

/** In the order of their ids. */
export function* listReferrersOfType({
  fromType,
  after = "",
  limit,
  ...key
}: ReferrerPart): Statements<readonly RelatedRecord[]> {
  return yield* list(toRelated, findReferrers, ...keyValues(key), fromType, after, limit);
}

export function* listReferences(key: RecordKey, limit: number) {
  return yield* list(toRelated, findReferences, ...keyValues(key), limit);
}

/** The records that refer to any of some records of one type. */
export interface ReferrerPage {
  readonly organizationId: string;
  readonly resourceType: string;
  readonly resourceIds: readonly string[];
  /** The last record of the previous page; undefined for the first page. */
  readonly after: Pick<RelatedRecord, "resourceType" | "resourceId"> | undefined;
  readonly limit: number;
}

/** A record that belongs to one of these records and mentions another is listed as belonging. */
const findPage = `
  SELECT from_type AS resource_type, from_id AS resource_id, min(kind) AS kind FROM relation
  WHERE organization_id = $1 AND to_type = $2 AND ${inNamedIds("to_id", 3)}
    AND (from_type, from_id) > ($4, $5)
  GROUP BY from_type, from_id ORDER BY from_type, from_id LIMIT $6`;

/** Lists referrers in the order of type and id. */
export function* listReferrers(page: ReferrerPage): Statements<readonly RelatedRecord[]> {
  const { organizationId, resourceType, resourceIds, after, limit } = page;
  const values = [organizationId, resourceType, resourceIds] as const;
  const place = [after?.resourceType ?? "", after?.resourceId ?? ""] as const;
  return yield* list(toRelated, findPage, ...values, ...place, limit);
}
