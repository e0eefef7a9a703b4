// The index of persons and companies: finds the changes that are due to be indexed by their arrival numbers beyond a
// mark, and stores their hashes. The caller makes the hashes.

import { organizationType } from "../../../domain/deletion/organization-deletion.ts";
import { keyText, type RecordKey } from "../../../domain/record/record-write.ts";
import { searchedTypes } from "./searched-types.ts";
import type {
  DueChange,
  DuePage,
  DueRecord,
  IndexedRecord,
  IndexStep,
  SearchState,
  FoundToken,
  TokenSearch,
  TokensFound,
} from "./search.ts";
import { reader } from "../../../store/row/reader.ts";
import { type KeyRow, rowKeyText, keyValues } from "../../../store/shared/record-key.ts";
import { hashIn, hashText, keyRows, named, namedRecords } from "../../../store/sql/statement/named.ts";
import {
  all,
  find,
  insert,
  list,
  lock,
  Rows,
  run,
  type Statements,
  allTogether,
  column,
} from "../../../store/sql/statement/statements.ts";
import { removeFromIndex } from "./tokens.ts";

const readState = `SELECT key_check, indexed_no FROM search_index`;
const begin = `UPDATE search_index SET key_check = $1, indexed_no = 0`;
const moveMark = `UPDATE search_index SET indexed_no = $3 WHERE key_check = $1 AND indexed_no = $2`;

/** Repeats the condition of the indexes that contain only these records and serve nothing else. */
const isSearched = `resource_type IN (${searchedTypes.map((type) => `'${type}'`).join(", ")})`;

/** Those that no later one up to $3 follows. On SQLite a first change has the number of its record (`change_later`). */
const findDue = `
  --sqlite SELECT * FROM (
  --sqlite   SELECT organization_id, resource_type, resource_id, record_no AS change_no
  --sqlite   FROM record INDEXED BY record_searched
  --sqlite   WHERE ${isSearched} AND record_no > $1 AND record_no <= $2 AND NOT EXISTS (
  --sqlite     SELECT 1 FROM change AS next
  --sqlite     WHERE next.record_no = record.record_no
  --sqlite       AND next.change_no > record.record_no AND next.change_no <= $3)
  --sqlite   ORDER BY record_no LIMIT $4)
  --sqlite UNION ALL SELECT * FROM (
  --sqlite   SELECT organization_id, resource_type, resource_id, later.change_no
  --sqlite   FROM change AS later INDEXED BY change_later
  --sqlite     CROSS JOIN record INDEXED BY record_searched
  --sqlite       ON record.record_no = later.record_no AND ${isSearched}
  --sqlite   WHERE later.change_no > later.record_no AND later.change_no > $1 AND later.change_no <= $2
  --sqlite     AND NOT EXISTS (
  --sqlite       SELECT 1 FROM change AS next
  --sqlite       WHERE next.record_no = later.record_no
  --sqlite         AND next.change_no > later.change_no AND next.change_no <= $3)
  --sqlite   ORDER BY later.change_no LIMIT $4)
  --postgres SELECT organization_id, resource_type, resource_id, change_no FROM change
  --postgres WHERE ${isSearched} AND change_no > $1 AND change_no <= $2 AND NOT EXISTS (
  --postgres   SELECT 1 FROM change AS next
  --postgres   WHERE next.organization_id = change.organization_id AND next.resource_type = change.resource_type
  --postgres     AND next.resource_id = change.resource_id
  --postgres     AND next.change_no > change.change_no AND next.change_no <= $3)
  ORDER BY change_no LIMIT $4`;

/** Nothing is added for an organization that is being erased. */
const findErased = `
  SELECT organization_id FROM deletion
  WHERE status = 'processing' AND resource_type = '${organizationType}'`;

/** The latest changes of each record. Citus does not support a subquery for each record, so it numbers the changes. */
const readChanges = `
  SELECT named.organization_id, named.resource_type, named.resource_id, change_no, received_at, payload
  FROM ${namedRecords}
    --sqlite CROSS JOIN record USING (organization_id, resource_type, resource_id)
    --sqlite CROSS JOIN change ON change.record_no = record.record_no AND change_no IN (
    --sqlite   SELECT change_no FROM change AS one WHERE one.record_no = record.record_no
    --sqlite   ORDER BY change_no DESC LIMIT $4)
    --postgres CROSS JOIN LATERAL ( --elsewhere
    --postgres   SELECT change_no, received_at, payload FROM change AS one --elsewhere
    --postgres   WHERE one.organization_id = named.organization_id --elsewhere
    --postgres     AND one.resource_type = named.resource_type AND one.resource_id = named.resource_id --elsewhere
    --postgres   ORDER BY change_no DESC LIMIT $4) AS change --elsewhere
    --citus JOIN (
    --citus   SELECT organization_id, resource_type, resource_id, change_no, received_at, payload, row_number() OVER (
    --citus     PARTITION BY organization_id, resource_type, resource_id ORDER BY change_no DESC) AS place
    --citus   FROM change WHERE resource_id = ANY ($3::text[])) AS change
    --citus   USING (organization_id, resource_type, resource_id)
    --citus WHERE place <= $4
  ORDER BY organization_id, resource_type, resource_id, change_no DESC`;

const findLatest = `
  SELECT named.organization_id, named.resource_type, named.resource_id, max(change_no) AS change_no
  FROM ${namedRecords}
    --sqlite CROSS JOIN record USING (organization_id, resource_type, resource_id)
    --sqlite CROSS JOIN change ON change.record_no = record.record_no
    --postgres JOIN change USING (organization_id, resource_type, resource_id)
  --citus WHERE change.resource_id = ANY ($3::text[])
  GROUP BY named.organization_id, named.resource_type, named.resource_id`;

const addTokens = `
  INSERT INTO search_token (organization_id, resource_type, resource_id, hash, field, former)
  SELECT organization_id, resource_type, resource_id, ${hashIn("hash")}, field, former
  FROM ${named("organization_id", "resource_type", "resource_id", "hash bytea", "field", "former boolean")}`;

const addTokensOnCitus = {
  into: `INSERT INTO search_token (organization_id, resource_type, resource_id, hash, field, former) VALUES`,
  row: "(?, ?, ?, ?, ?, ?)",
  end: "",
};

const toState = reader<SearchState>({});
const toDue = reader<DueRecord>({});
const toChange = reader<DueChange>({});

export function* readSearchState(): Statements<SearchState> {
  const state = yield* find(toState, readState);
  if (state === undefined) throw new TypeError("the index has no state");
  return state;
}

/** From now on the hashes are made with this key, and nothing is indexed yet. */
export function* beginIndex(keyCheck: number): Statements<void> {
  yield* run(begin, keyCheck);
}

/** The next changes of persons and companies, in the order of their arrival. */
export function listDue({
  after,
  through,
  settled,
  limit,
}: DuePage): Statements<readonly DueRecord[]> {
  return list(toDue, findDue, after, through, settled, limit);
}

/** The latest changes of each of these records, at most `changesMax` of one, the latest first. */
export function* readDueChanges(
  keys: readonly RecordKey[],
  changesMax: number,
): Statements<readonly DueChange[]> {
  return keys.length === 0 ? [] : yield* list(toChange, readChanges, keyRows(keys), changesMax);
}

/**
 * Replaces the index entries of these records. A record that has changed since it was read is left as it is, because
 * its later change is due; an erased record is removed. Returns false if a record was left; or if all were left,
 * because the index was begun with another key since the hashes were made, or another process has moved the mark.
 */
export function* storeTokens(
  records: readonly IndexedRecord[],
  { keyCheck, mark }: IndexStep,
): Statements<boolean> {
  if (records.length > 0) yield* lock(records);
  const isOurs =
    mark === undefined
      ? (yield* readSearchState()).keyCheck === keyCheck
      : (yield* run(moveMark, keyCheck, mark.from, mark.to)) > 0;
  if (!isOurs) return false;
  if (records.length === 0) return true;
  const rows = yield* all<KeyRow & { change_no: number }>(findLatest, keyRows(records));
  const latest = new Map(rows.map((row) => [rowKeyText(row), row.change_no]));
  const unchanged = records.filter((record) => {
    const changeNo = latest.get(keyText(record));
    return changeNo === undefined || changeNo === record.changeNo;
  });
  yield* removeFromIndex(unchanged);
  const erased = new Set(yield* column<string>(findErased));
  const tokens = unchanged
    .filter((record) => latest.has(keyText(record)) && !erased.has(record.organizationId))
    .flatMap((record) =>
      record.tokens.map(({ hash, field, former }) => {
        return [...keyValues(record), hashText(hash), field, former];
      }),
    );
  yield* insert(addTokens, new Rows(tokens, 6), addTokensOnCitus);
  return unchanged.length === records.length;
}

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
