// The records that belong to others or mention them, page by page. Reads relations only.

import type { RelationKind } from "../../../domain/record-type.ts";
import { reader } from "../../row/reader.ts";
import { list, type Statements } from "../statement/statements.ts";

/** The records that refer to any of some records of one type. */
export interface ReferrerPage {
  readonly organizationId: string;
  readonly resourceType: string;
  readonly resourceIds: readonly string[];
  /** The last record of the page before; undefined for the first page. */
  readonly after: Pick<Referrer, "resourceType" | "resourceId"> | undefined;
  readonly limit: number;
}

export interface Referrer {
  readonly resourceType: string;
  readonly resourceId: string;
  readonly kind: RelationKind;
}

/** A record that belongs to one of these records and mentions another is listed as belonging. */
const findPage = `
  SELECT from_type AS resource_type, from_id AS resource_id, min(kind) AS kind FROM relation
  WHERE organization_id = $1 AND to_type = $2
    --sqlite AND to_id IN (SELECT value FROM json_each($3))
    --postgres AND to_id = ANY ($3::text[])
    AND (from_type, from_id) > ($4, $5)
  GROUP BY from_type, from_id ORDER BY from_type, from_id LIMIT $6`;

const toReferrer = reader<Referrer>({});

/** Lists referrers in the order of type and id. */
export function* listReferrers(page: ReferrerPage): Statements<readonly Referrer[]> {
  const { organizationId, resourceType, resourceIds, after, limit } = page;
  return yield* list(
    toReferrer,
    findPage,
    organizationId,
    resourceType,
    resourceIds,
    after?.resourceType ?? "",
    after?.resourceId ?? "",
    limit,
  );
}
