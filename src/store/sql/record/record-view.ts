// Parts of the history and of the relations of one record, for people. Each statement reads as many rows as it returns.

import type { RelationKind } from "../../../domain/record-type.ts";
import type { Change, RecordKey } from "../../../domain/record/record-write.ts";
import type { RelatedRecord } from "../../interface/overview.ts";
import { all, type Statements } from "../statement/statements.ts";

/** The records of one type that refer to a record. */
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
  SELECT from_type AS type, from_id AS id, kind FROM relation
  WHERE organization_id = $1 AND to_type = $2 AND to_id = $3 AND from_type = $4 AND from_id > $5
  ORDER BY from_id LIMIT $6`;

const findReferences = `
  SELECT to_type AS type, to_id AS id, kind FROM relation
  WHERE organization_id = $1 AND from_type = $2 AND from_id = $3 LIMIT $4`;

interface RelatedRow {
  readonly type: string;
  readonly id: string;
  readonly kind: RelationKind;
}

interface ChangeRow {
  readonly change_no: number;
  readonly received_at: number;
  readonly payload: string;
}

/** Reads changes, the latest first. */
export function* readHistoryPart({
  before = Number.MAX_SAFE_INTEGER,
  limit,
  ...key
}: HistoryPart): Statements<readonly Change[]> {
  const rows = yield* all<ChangeRow>(readPart, ...valuesOf(key), before, limit);
  return rows.map(({ change_no: changeNo, received_at: receivedAt, payload }) => {
    return { changeNo, receivedAt, payload };
  });
}

/** In the order of their ids. */
export function* listReferrersOfType({
  fromType,
  after = "",
  limit,
  ...key
}: ReferrerPart): Statements<readonly RelatedRecord[]> {
  const rows = yield* all<RelatedRow>(findReferrers, ...valuesOf(key), fromType, after, limit);
  return rows.map(toRelated);
}

/** Lists the records that this one refers to, at most `limit`. */
export function* listReferences(
  key: RecordKey,
  limit: number,
): Statements<readonly RelatedRecord[]> {
  return (yield* all<RelatedRow>(findReferences, ...valuesOf(key), limit)).map(toRelated);
}

function valuesOf({ organizationId, resourceType, resourceId }: RecordKey) {
  return [organizationId, resourceType, resourceId] as const;
}

function toRelated({ type: resourceType, id: resourceId, kind }: RelatedRow): RelatedRecord {
  return { resourceType, resourceId, kind };
}
