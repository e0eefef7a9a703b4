// The index of persons and companies: finds the changes that are due to be indexed by their arrival numbers beyond a
// mark, and stores their hashes. The caller makes the hashes.

import { byDueTime } from "../../../store/sql/statement/index-conditions.ts";
import { organizationType } from "../../../domain/deletion/organization-deletion.ts";
import { type Change, keyText, type RecordKey } from "../../../domain/record/record-write.ts";
import { reader } from "../../../store/row/reader.ts";
import { type KeyRow, rowKeyText, keyValues } from "../../../store/shared/record-key.ts";
import {
  hashIn,
  hashText,
  joinChanges,
  keyRows,
  named,
  namedRecords,
} from "../../../store/sql/statement/named.ts";
import {
  all,
  find,
  insert,
  list,
  lock,
  Rows,
  run,
  type Statements,
  column,
} from "../../../store/sql/statement/statements.ts";
import { removeTokensOf, searchedTypes } from "./tokens.ts";

/** What the index is to contain of a record. */
export interface IndexedRecord extends RecordKey {
  /** The latest change that was read: if there is a later one, the record remains due. */
  readonly changeNo: number;
  readonly tokens: readonly {
    readonly hash: Uint8Array;
    readonly field: string;
    /** Whether only changes before the latest state contain the value. */
    readonly former: boolean;
  }[];
}

export interface SearchState {
  /** Identifies the key of the hashes; 0 if none is in use yet. */
  readonly keyCheck: number;
  /** The arrival number up to which all changes are indexed. */
  readonly indexedNo: number;
}

export interface DuePage {
  /** Changes beyond this number, and up to `through`. */
  readonly after: number;
  readonly through: number;
  /** If a record has several changes in this range, only the last one is read. */
  readonly settled: number;
  readonly limit: number;
}

export interface IndexStep extends Pick<SearchState, "keyCheck"> {
  /** The new mark, which is stored if the mark has not moved since the records were read. Undefined: the mark stays. */
  readonly mark?: { readonly from: number; readonly to: number };
}

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
  WHERE status = 'processing' AND resource_type = '${organizationType}' ${byDueTime}`;

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
    ${joinChanges}
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

/** A record that is due because of this change. */
type DueRecord = RecordKey & Pick<Change, "changeNo">;
type DueChange = RecordKey & Change;

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
  return yield* list(toChange, readChanges, keyRows(keys), changesMax);
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
  yield* removeTokensOf(unchanged);
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
