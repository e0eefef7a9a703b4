// Searches the index of persons and companies for hashes: a bounded number of records for each
// hash.

import type { FoundToken, TokenSearch, TokensFound } from "../../interface/search.ts";
import { reader } from "../../row/reader.ts";
import { hashText, named } from "../statement/named.ts";
import { all, allTogether, Rows, type Statements } from "../statement/statements.ts";

const findRecords = `
  SELECT resource_type, resource_id, field, former FROM search_token
  WHERE organization_id = $1 AND hash = $2 ORDER BY resource_type, resource_id LIMIT $3`;

/** Whether records that were found by other hashes have these too. */
const probe = `
  SELECT named.at, named.resource_type, named.resource_id, field, former
  FROM ${named("organization_id", "hash bytea", "resource_type", "resource_id", "at bigint")}
    --sqlite CROSS JOIN search_token ON search_token.organization_id = named.organization_id
    --sqlite   AND search_token.hash = unhex(substr(named.hash, 3))
    --postgres JOIN search_token ON search_token.organization_id = named.organization_id
    --postgres   AND search_token.hash = named.hash
      AND search_token.resource_type = named.resource_type
      AND search_token.resource_id = named.resource_id
    --citus AND search_token.resource_id = ANY ($4::text[])
  `;

type TokenRow = Parameters<typeof toToken>[0];

const toToken = reader<FoundToken>({ former: "flag" });

/**
 * If more records have a hash than are read, this reads the first ones, and those that another hash has found: so a
 * record with a rare value and a common one is found with both.
 */
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
  const known = new Set(tokens.map((token) => `${token.at} ${nameOf(token)}`));
  const rareFirst = [...tokens.filter(({ at }) => !isLong[at]), ...tokens];
  const records = [...new Map(rareFirst.map((token) => [nameOf(token), token])).values()];
  const asked = records
    .slice(0, Math.ceil(rowsMax / long.length))
    .flatMap((record) =>
      long
        .filter((at) => !known.has(`${at} ${nameOf(record)}`))
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

/** Types contain no space. */
function nameOf({ resourceType, resourceId }: FoundToken): string {
  return `${resourceType} ${resourceId}`;
}
