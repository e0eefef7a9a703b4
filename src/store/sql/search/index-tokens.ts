// The index of persons and companies: which records are due to be indexed, and the hashes of those that are. What the
// hashes are made of is decided elsewhere.

import type { RecordKey } from "../../../domain/record/record-write.ts";
import type { DueChange, DuePage, IndexedRecord, SearchState } from "../../interface/search.ts";
import { reader } from "../../row/reader.ts";
import { keyText, type KeyRow, rowKeyText, toKey } from "../../shared/record-key.ts";
import { hashIn, hashText, keyRows, named, namedRecords } from "../statement/named.ts";
import {
  all,
  find,
  get,
  insert,
  list,
  lock,
  Rows,
  run,
  type Statements,
} from "../statement/statements.ts";
import { removeFromIndex } from "./erase-tokens.ts";

const readState = `SELECT key_check, collecting FROM search_index`;
const begin = `UPDATE search_index SET key_check = $1, collecting = true`;
const end = `UPDATE search_index SET collecting = false WHERE key_check = $1`;

const countDue = `
  SELECT count(*) AS due FROM (SELECT 1 FROM search_due WHERE organization_id = $1 LIMIT $2) AS due_row`;

/** On SQLite, where records are due by their numbers, a last record that was erased begins the organization again. */
const findDue = `
  SELECT organization_id, resource_type, resource_id FROM search_due
  --sqlite CROSS JOIN record USING (organization_id, record_no)
  --sqlite WHERE (organization_id, record_no) > ($1, coalesce((
  --sqlite   SELECT record_no FROM record
  --sqlite   WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3), 0))
  --postgres WHERE (organization_id, resource_type, resource_id) > ($1, $2, $3)
    AND organization_id <= $4
  ORDER BY organization_id,
  --sqlite record_no
  --postgres resource_type, resource_id
  LIMIT $5`;
/** Greater than the id of every organization. */
const afterAllIds = "~";

const findNext = `
  SELECT organization_id, resource_type, resource_id FROM record
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id > $3
  ORDER BY resource_id LIMIT $4`;

const findExisting = `
  SELECT organization_id, resource_type, resource_id FROM ${namedRecords}
    JOIN record USING (organization_id, resource_type, resource_id)
  --citus WHERE record.resource_id = ANY ($3::text[])
  `;

const addDue = `
  INSERT INTO search_due (organization_id,
    --sqlite record_no)
    --postgres resource_type, resource_id)
  SELECT organization_id,
    --sqlite record_no
    --postgres resource_type, resource_id
  FROM ${namedRecords}
    --sqlite CROSS JOIN record USING (organization_id, resource_type, resource_id)
  WHERE true ON CONFLICT DO NOTHING`;

const addDueOnCitus = {
  into: `INSERT INTO search_due (organization_id, resource_type, resource_id) VALUES`,
  row: "(?, ?, ?)",
  end: "ON CONFLICT DO NOTHING",
};

/** The latest changes of each record; the subquery for each record is not supported by Citus. */
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
    --citus JOIN change USING (organization_id, resource_type, resource_id)
    --citus WHERE change.resource_id = ANY ($3::text[]) AND $4 > 0
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

const toState = reader<SearchState>({ collecting: "flag" });
const toChange = reader<DueChange>({});

export function* readSearchState(): Statements<SearchState> {
  const state = yield* find(toState, readState);
  if (state === undefined) throw new TypeError("the index has no state");
  return state;
}

/** From now on the hashes are those of this key, and all records have to be marked as due. */
export function* beginIndex(keyCheck: number): Statements<void> {
  yield* run(begin, keyCheck);
}

/** Changes nothing if the index was begun with another key meanwhile. */
export function* endCollection(keyCheck: number): Statements<void> {
  yield* run(end, keyCheck);
}

/** How many records of an organization are due, counted up to `max`. */
export function* countDueRecords(organizationId: string, max: number): Statements<number> {
  return (yield* get<{ due: number }>(countDue, organizationId, max))?.due ?? 0;
}

/**
 * The next records that are due, of one organization or of all. After the last one, because on PostgreSQL rows that
 * were removed stay in the index until they are vacuumed.
 */
export function* listDue({
  organizationId,
  after,
  limit,
}: DuePage): Statements<readonly RecordKey[]> {
  const rows = yield* all<KeyRow>(
    findDue,
    after?.organizationId ?? organizationId ?? "",
    after?.resourceType ?? "",
    after?.resourceId ?? "",
    organizationId ?? afterAllIds,
    limit,
  );
  return rows.map(toKey);
}

/** Marks the next records of a type as due; returns the id of the last one, undefined at the end. */
export function* collectRecords(
  { organizationId, resourceType, resourceId }: RecordKey,
  limit: number,
): Statements<string | undefined> {
  const args = [organizationId, resourceType, resourceId, limit] as const;
  const keys = (yield* all<KeyRow>(findNext, ...args)).map(toKey);
  // A record that was erased meanwhile must not be named again.
  const isLocked = keys.length > 0 && (yield* lock(keys));
  const existing = isLocked ? (yield* all<KeyRow>(findExisting, keyRows(keys))).map(toKey) : keys;
  yield* insert(addDue, keyRows(existing), addDueOnCitus);
  return keys.length < limit ? undefined : keys.at(-1)?.resourceId;
}

/** The latest changes of each of these records, at most `changesMax` of one, the latest first. */
export function* readDueChanges(
  keys: readonly RecordKey[],
  changesMax: number,
): Statements<readonly DueChange[]> {
  return keys.length === 0 ? [] : yield* list(toChange, readChanges, keyRows(keys), changesMax);
}

/**
 * Replaces what the index contains of these records. A record that has changed since it was read remains due; one that
 * was erased is forgotten. Nothing is stored if the index was begun with another key since the hashes were made.
 */
export function* storeTokens(
  records: readonly IndexedRecord[],
  keyCheck: number,
): Statements<void> {
  yield* lock(records);
  if ((yield* readSearchState()).keyCheck !== keyCheck) return;
  const rows = yield* all<KeyRow & { change_no: number }>(findLatest, keyRows(records));
  const latest = new Map(rows.map((row) => [rowKeyText(row), row.change_no]));
  const settled = records.filter((record) => {
    const changeNo = latest.get(keyText(record));
    return changeNo === undefined || changeNo === record.changeNo;
  });
  yield* removeFromIndex(settled);
  const tokens = settled
    .filter((record) => latest.has(keyText(record)))
    .flatMap((record) =>
      record.tokens.map(({ hash, field, former }) => [
        record.organizationId,
        record.resourceType,
        record.resourceId,
        hashText(hash),
        field,
        former,
      ]),
    );
  yield* insert(addTokens, new Rows(tokens, 6), addTokensOnCitus);
}
