// Reads records, their histories and relations, whole or page by page, and the number of the latest change. Each engine
// writes them in its own way.

import type {
  RecordHistory,
  RecordKey,
  ExportedChange,
  Change,
  Sighting,
} from "../../../domain/record/record-write.ts";
import { all, allTogether, get, type Statements, list, scalar } from "../statement/statements.ts";
import { reader } from "../../row/reader.ts";
import { keyValues } from "../../shared/record-key.ts";
import type { RelatedRecord } from "../../interface/deletion.ts";
import { bySource } from "../statement/index-conditions.ts";
import { inNamedIds } from "../statement/named.ts";

const findOne = `
  SELECT 1 FROM record WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3`;

const readChanges = `
  SELECT first_seen, last_seen, change_no, received_at, payload
  FROM record JOIN change
  --sqlite USING (record_no)
  --postgres USING (organization_id, resource_type, resource_id)
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3
  ORDER BY change_no`;

const countByType = `
  SELECT resource_type, count(*) AS records FROM record
  WHERE organization_id = $1 GROUP BY resource_type ORDER BY resource_type`;

/** Counts one type: Citus plans no subquery for each row of a list. */
const countOfType = `
  SELECT CAST($2 AS text) AS resource_type, count(*) AS records FROM (
    SELECT 1 FROM record WHERE organization_id = $1 AND resource_type = $2 LIMIT $3
  ) AS found`;

const toSeenChange = reader<Change & Sighting>({});

export function* recordExists(key: RecordKey): Statements<boolean> {
  return (yield* get(findOne, ...keyValues(key))) !== undefined;
}

/** A single statement, so that no erasure can come in between. */
export function* readHistory(key: RecordKey): Statements<RecordHistory | undefined> {
  const rows = yield* list(toSeenChange, readChanges, ...keyValues(key));
  const [first] = rows;
  if (first === undefined) return undefined;
  const { firstSeen, lastSeen } = first;
  const changes = rows.map(({ firstSeen: _first, lastSeen: _last, ...change }) => change);
  return { firstSeen, lastSeen, changes };
}

export function* countRecords(
  organizationId: string,
): Statements<Readonly<Record<string, number>>> {
  return toCounts(yield* all<TypeCount>(countByType, organizationId));
}

/** Counts at most `max` records of each type. */
export function* countRecordsOfTypes(query: {
  readonly organizationId: string;
  readonly types: readonly string[];
  readonly max: number;
}): Statements<Readonly<Record<string, number>>> {
  const { organizationId, types, max } = query;
  const asked = types.map((type) => [countOfType, organizationId, type, max] as const);
  return toCounts((yield* allTogether<readonly (readonly TypeCount[])[]>(...asked)).flat());
}

type TypeCount = { readonly resource_type: string; readonly records: number };

function toCounts(rows: readonly TypeCount[]): Readonly<Record<string, number>> {
  return Object.fromEntries(rows.map(({ resource_type: type, records }) => [type, records]));
}

/** On PostgreSQL, with a function that needs only the right to use the sequence; null before the first number. */
const readArrival = `
  --sqlite SELECT value AS latest FROM counter WHERE name = 'arrival'
  --postgres SELECT pg_sequence_last_value('arrival'::regclass) AS latest
  `;

/** On PostgreSQL, changes with this number or lower ones may become visible later. */
export function* findLatestArrival(): Statements<number> {
  return (yield* scalar<number | null>(readArrival)) ?? 0;
}

export interface ChangePage {
  readonly organizationId: string;
  readonly resourceType: string;
  /** No change beyond this arrival number. */
  readonly upTo: number;
  /** The last change of the page before; undefined for the first page. */
  readonly after: Pick<ExportedChange, "resourceId" | "changeNo"> | undefined;
  readonly limit: number;
}

/** CROSS JOIN makes SQLite read the records in order and look up the changes of each. */
const readPage = `
  SELECT resource_id, change_no, received_at, payload
  --sqlite FROM record CROSS JOIN change USING (record_no)
  --postgres FROM change
  WHERE organization_id = $1 AND resource_type = $2
    --sqlite AND resource_id >= $3 AND change_no > CASE WHEN resource_id = $3 THEN $4 ELSE 0 END
    --postgres AND (resource_id, change_no) > ($3, $4)
    AND change_no <= $5
  ORDER BY resource_id, change_no LIMIT $6`;

const toExported = reader<ExportedChange>({});

/** In the order of record ids (as bytes) and, within a record, of arrival. */
export function* listChanges(page: ChangePage): Statements<readonly ExportedChange[]> {
  const { organizationId, resourceType, upTo, after, limit } = page;
  const { resourceId = "", changeNo = 0 } = after ?? {};
  const place = [organizationId, resourceType, resourceId, changeNo, upTo, limit] as const;
  return yield* list(toExported, readPage, ...place);
}

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
  WHERE organization_id = $1 AND from_type = $2 AND from_id = $3 AND ${bySource} LIMIT $4`;

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
