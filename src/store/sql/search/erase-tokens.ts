// Erases records from the index of persons and companies, and verifies it. Nothing of them moves to the restricted
// store: a deletion that names a person or a company erases it, and only what belongs to it can be kept.

import type { RecordKey } from "../../../domain/record/record-write.ts";
import { isSearched } from "../../../domain/search/searched-types.ts";
import type { KeyRow } from "../../shared/record-key.ts";
import {
  among,
  keyRows,
  named,
  namedRecords,
  type NumberedKey,
  numberedRows,
} from "../statement/named.ts";
import { all, get, run, type Statements } from "../statement/statements.ts";

const key = ["organization_id", "resource_type", "resource_id"] as const;

/** Left to itself, SQLite would search all hashes of the organization. */
const removeTokens = `
  DELETE FROM search_token
    --sqlite INDEXED BY search_token_by_record
    ${among("USING", "search_token", key)}
    --citus AND search_token.resource_id = ANY ($3::text[])
  `;

/** Before the records are removed, because SQLite finds their numbers in them. */
const removeDue = `
  DELETE FROM search_due
    --sqlite WHERE (organization_id, record_no) IN (SELECT organization_id, record_no FROM
    --postgres USING
    ${namedRecords}
    --sqlite CROSS JOIN record USING (organization_id, resource_type, resource_id))
    --postgres WHERE search_due.organization_id = named.organization_id
    --postgres   AND search_due.resource_type = named.resource_type AND search_due.resource_id = named.resource_id
    --citus AND search_due.resource_id = ANY ($3::text[])
  `;

/** Runs no statement for records of other types, whose erasure pays nothing. */
export function* removeFromIndex(keys: readonly RecordKey[]): Statements<void> {
  const searched = keys.filter(({ resourceType }) => isSearched(resourceType));
  if (searched.length === 0) return;
  yield* run(removeTokens, keyRows(searched));
  yield* run(removeDue, keyRows(searched));
}

const findTokens = `
  SELECT DISTINCT named.organization_id, named.resource_type, named.resource_id FROM ${namedRecords}
    --sqlite CROSS
    JOIN search_token USING (organization_id, resource_type, resource_id)
  --citus WHERE search_token.resource_id = ANY ($3::text[])
  `;

const findStillDue = `
  SELECT named.organization_id, named.resource_type, named.resource_id
  FROM ${named(...key, "record_no bigint")}
    --sqlite CROSS JOIN search_due USING (organization_id, record_no)
    --postgres JOIN search_due USING (organization_id, resource_type, resource_id)
  --citus WHERE search_due.resource_id = ANY ($3::text[])
  `;

/** Finds those of these records that the index still knows. */
export function* findIndexed(keys: readonly NumberedKey[]): Statements<readonly KeyRow[]> {
  const searched = keys.filter(({ resourceType }) => isSearched(resourceType));
  if (searched.length === 0) return [];
  return [
    ...(yield* all<KeyRow>(findTokens, keyRows(searched))),
    ...(yield* all<KeyRow>(findStillDue, numberedRows(searched))),
  ];
}

/** A part ends with a record, which has few rows. */
const findEndOfTokens = `
  SELECT resource_type, resource_id FROM search_token
  WHERE organization_id = $1 AND (resource_type, resource_id) > ($3, $4)
  ORDER BY resource_type, resource_id LIMIT 1 OFFSET $2`;
const removeTokensUpTo = `
  DELETE FROM search_token
  WHERE organization_id = $1 AND (resource_type, resource_id) > ($4, $5)
    AND (resource_type, resource_id) <= ($2, $3)`;
/** On SQLite the number of the record is read as its id. */
const findEndOfDue = `
  SELECT
    --sqlite '' AS resource_type, CAST(record_no AS TEXT) AS resource_id
    --postgres resource_type, resource_id
  FROM search_due
  WHERE organization_id = $1
    --sqlite AND record_no > CAST($4 AS INTEGER)
    --postgres AND (resource_type, resource_id) > ($3, $4)
  ORDER BY
    --sqlite record_no
    --postgres resource_type, resource_id
  LIMIT 1 OFFSET $2`;
const removeDueUpTo = `
  DELETE FROM search_due
  WHERE organization_id = $1
    --sqlite AND record_no > CAST($5 AS INTEGER) AND ($3 = '' OR record_no <= CAST($3 AS INTEGER))
    --postgres AND (resource_type, resource_id) > ($4, $5) AND (resource_type, resource_id) <= ($2, $3)
  `;

const statements = {
  search_token: { findEnd: findEndOfTokens, removePart: removeTokensUpTo },
  search_due: { findEnd: findEndOfDue, removePart: removeDueUpTo },
} as const;

/** Greater than the name of every record type. */
const afterAllTypes = "~";

export interface IndexPart {
  readonly organizationId: string;
  /** The type and the id of the last record of the part before. */
  readonly from: readonly string[];
  readonly rowsMax: number;
}

/** Removes the next part of an organization; returns the last record of it, undefined at the end. */
export function* removeIndexPart(
  table: keyof typeof statements,
  { organizationId, from, rowsMax }: IndexPart,
): Statements<readonly string[] | undefined> {
  const { findEnd, removePart } = statements[table];
  const end = yield* get<KeyRow>(findEnd, organizationId, rowsMax - 1, ...from);
  const last = [end?.resource_type ?? afterAllTypes, end?.resource_id ?? ""] as const;
  yield* run(removePart, organizationId, ...last, ...from);
  return end === undefined ? undefined : last;
}
