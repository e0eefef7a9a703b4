// Erases records from the index of persons and companies, and verifies it. No entry moves to the restricted store: a
// deletion that names a person or a company erases it, and only what belongs to it can be kept.

import type { RecordKey } from "../../../domain/record/record-write.ts";
import { isSearched } from "./searched-types.ts";
import type { KeyRow } from "../../../store/shared/record-key.ts";
import { among, keyRows, namedRecords } from "../../../store/sql/statement/named.ts";
import { all, get, run, type Statements } from "../../../store/sql/statement/statements.ts";

const key = ["organization_id", "resource_type", "resource_id"] as const;

/** Without this, SQLite would search all hashes of the organization. */
const removeTokens = `
  DELETE FROM search_token
    --sqlite INDEXED BY search_token_by_record
    ${among("USING", "search_token", key)}
    --citus AND search_token.resource_id = ANY ($3::text[])
  `;

/** Runs no statement for records of other types, so that their erasure has no cost. */
export function* removeFromIndex(keys: readonly RecordKey[]): Statements<void> {
  const searched = keys.filter(({ resourceType }) => isSearched(resourceType));
  if (searched.length === 0) return;
  yield* run(removeTokens, keyRows(searched));
}

const findTokens = `
  SELECT DISTINCT named.organization_id, named.resource_type, named.resource_id FROM ${namedRecords}
    --sqlite CROSS
    JOIN search_token USING (organization_id, resource_type, resource_id)
  --citus WHERE search_token.resource_id = ANY ($3::text[])
  `;

/** Finds those of these records that are still in the index. */
export function* findIndexed(keys: readonly RecordKey[]): Statements<readonly KeyRow[]> {
  const searched = keys.filter(({ resourceType }) => isSearched(resourceType));
  return searched.length === 0 ? [] : yield* all<KeyRow>(findTokens, keyRows(searched));
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
/** Greater than the name of every record type. */
export const afterAllTypes = "~";

export interface IndexPart {
  readonly organizationId: string;
  /** The type and the id of the last record of the previous part. */
  readonly from: readonly string[];
  readonly rowsMax: number;
}

/** Removes the next part of an organization; returns the last record of it, undefined at the end. */
export function* removeIndexPart({
  organizationId,
  from,
  rowsMax,
}: IndexPart): Statements<readonly string[] | undefined> {
  const end = yield* get<KeyRow>(findEndOfTokens, organizationId, rowsMax - 1, ...from);
  const last = [end?.resource_type ?? afterAllTypes, end?.resource_id ?? ""] as const;
  yield* run(removeTokensUpTo, organizationId, ...last, ...from);
  return end === undefined ? undefined : last;
}
