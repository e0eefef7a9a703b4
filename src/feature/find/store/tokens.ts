// The hashes by which persons and companies are found: searches them, erases them with their record, and verifies it.
// Contains no value. No hash moves to the restricted store: a deletion that names a person or a company erases it, and
// only what belongs to it can be kept.

import type { RecordKey } from "../../../domain/record/record-write.ts";
import type { ResourceType } from "../../../domain/record-type.ts";
import { reader } from "../../../store/row/reader.ts";
import { afterAllTypes, type KeyRow } from "../../../store/shared/record-key.ts";
import type { NextPage, PartPage } from "../../../store/sql/part.ts";
import {
  among,
  hashText,
  joinNamed,
  keyRows,
  named,
  namedRecords,
  sameOnServer,
} from "../../../store/sql/statement/named.ts";
import {
  all,
  allTogether,
  get,
  list,
  Rows,
  run,
  type Statements,
} from "../../../store/sql/statement/statements.ts";

/** A separate list, because the threads that write must not load the record types; a test compares it with them. */
export const searchedTypes = ["company", "person"] as const;

export type SearchedType = (typeof searchedTypes)[number];

export function isSearched(resourceType: ResourceType): resourceType is SearchedType {
  return searchedTypes.some((type) => type === resourceType);
}

const key = ["organization_id", "resource_type", "resource_id"] as const;

/** Without this, SQLite would search all hashes of the organization. */
const removeTokens = `
  DELETE FROM search_token
    --sqlite INDEXED BY search_token_by_record
    ${among("USING", "search_token", key)}
    --citus AND search_token.resource_id = ANY ($3::text[])
  `;

/** Runs no statement for records of other types, so that their erasure has no cost. */
export function* removeTokensOf(keys: readonly RecordKey[]): Statements<void> {
  const searched = keys.filter(({ resourceType }) => isSearched(resourceType));
  if (searched.length === 0) return;
  yield* run(removeTokens, keyRows(searched));
}

const findLeft = `
  SELECT DISTINCT named.organization_id, named.resource_type, named.resource_id FROM ${namedRecords}
    ${joinNamed("search_token")}
  --citus WHERE search_token.resource_id = ANY ($3::text[])
  `;

/** Finds those of these records that are still in the index. */
export function* findTokensOf(keys: readonly RecordKey[]): Statements<readonly KeyRow[]> {
  const searched = keys.filter(({ resourceType }) => isSearched(resourceType));
  return searched.length === 0 ? [] : yield* all<KeyRow>(findLeft, keyRows(searched));
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

/** `from`: the type and the id of the last record of the page before. */
export function* removePage({ organizationId, from, rowsMax }: PartPage): Statements<NextPage> {
  const after = [from[0] ?? "", from[1] ?? ""] as const;
  const end = yield* get<KeyRow>(findEndOfTokens, organizationId, rowsMax - 1, ...after);
  const last = [end?.resource_type ?? afterAllTypes, end?.resource_id ?? ""] as const;
  yield* run(removeTokensUpTo, organizationId, ...last, ...after);
  return end === undefined ? undefined : last;
}

const findRecords = `
  SELECT resource_type, resource_id, field, former FROM search_token
  WHERE organization_id = $1 AND hash = $2 ORDER BY resource_type, resource_id LIMIT $3`;

/** Which of the records that other hashes have found also have these. */
const probe = `
  SELECT named.at, named.resource_type, named.resource_id, field, former
  FROM ${named("organization_id", "hash bytea", "resource_type", "resource_id", "at bigint")}
    --sqlite CROSS JOIN search_token ON search_token.organization_id = named.organization_id
    --sqlite   AND search_token.hash = unhex(substr(named.hash, 3))
    --sqlite   AND search_token.resource_type = named.resource_type
    --sqlite   AND search_token.resource_id = named.resource_id
    --postgres JOIN search_token ON ${sameOnServer("search_token", [...key, "hash"])}
    --citus AND search_token.resource_id = ANY ($4::text[])
  `;

/** The records of thousands of hashes, most of which no record has. */
const findAny = `
  SELECT named.at, token.resource_type, token.resource_id, token.field, token.former
  FROM ${named("organization_id", "hash bytea", "at bigint")}
    --sqlite CROSS JOIN search_token AS token ON token.organization_id = named.organization_id
    --sqlite   AND token.hash = unhex(substr(named.hash, 3))
    --postgres JOIN search_token AS token ON ${sameOnServer("token", ["organization_id", "hash"])}
  LIMIT $4`;

export interface TokenSearch {
  readonly organizationId: string;
  readonly hashes: readonly Uint8Array[];
  /** How many records are read for each hash. */
  readonly recordsMax: number;
  /** How many rows are read for all hashes, and how many pairs of a hash and a record are then looked up. */
  readonly rowsMax: number;
}

export interface FoundToken extends Pick<RecordKey, "resourceType" | "resourceId"> {
  /** The position of the hash in the search. */
  readonly at: number;
  readonly field: string;
  readonly former: boolean;
}

export interface TokensFound {
  readonly tokens: readonly FoundToken[];
  /** Whether some hash, or several together, match more records than were read. */
  readonly more: boolean;
}

type TokenRow = Parameters<typeof toToken>[0];

const toToken = reader<FoundToken>({ former: "flag" });

/** Reads only the first records of a long list, and those that another hash has found. */
export function* findTokens(search: TokenSearch): Statements<TokensFound> {
  const { organizationId, hashes, rowsMax } = search;
  const recordsMax = Math.min(search.recordsMax, Math.ceil(rowsMax / hashes.length));
  const lists = yield* allTogether<readonly (readonly TokenRow[])[]>(
    ...hashes.map((hash) => [findRecords, organizationId, hash, recordsMax + 1] as const),
  );
  const isLong = lists.map((rows) => rows.length > recordsMax);
  const tokens = lists.flatMap((rows, at) =>
    rows.slice(0, recordsMax).map((row) => toToken({ ...row, at })),
  );
  const long = [...isLong.keys()].filter((at) => isLong[at]);
  if (long.length === 0) return { tokens, more: false };
  const tokenNames = new Set(tokens.map((token) => `${token.at} ${nameOf(token)}`));
  const rareFirst = [...tokens.filter(({ at }) => !isLong[at]), ...tokens];
  const records = [...new Map(rareFirst.map((token) => [nameOf(token), token])).values()];
  const asked = records
    .slice(0, Math.ceil(rowsMax / long.length))
    .flatMap((record) =>
      long
        .filter((at) => !tokenNames.has(`${at} ${nameOf(record)}`))
        .map((at) => [
          organizationId,
          hashText(hashes[at] ?? new Uint8Array()),
          record.resourceType,
          record.resourceId,
          at,
        ]),
    );
  const probed = asked.length === 0 ? [] : yield* all<TokenRow>(probe, new Rows(asked, 5));
  return { tokens: [...tokens, ...probed.map(toToken)], more: true };
}

/** At most `rowsMax`, of the first hashes. */
export function* findTokensOfAny({
  organizationId,
  hashes,
  rowsMax,
}: Omit<TokenSearch, "recordsMax">): Statements<readonly FoundToken[]> {
  const asked = hashes.map((hash, at) => [organizationId, hashText(hash), at]);
  return yield* list(toToken, findAny, new Rows(asked, 3), rowsMax);
}

/** Types contain no space. */
function nameOf({ resourceType, resourceId }: FoundToken): string {
  return `${resourceType} ${resourceId}`;
}
