// The statements that read which parties changes name: those of an arrival range, with given numbers, or of given
// records. No statement returns payloads: a page of large ones would be parsed in the thread that serves. Changes
// nothing.

import { namingTypes } from "../../../domain/deletion/party.ts";
import type { RecordType } from "../../../domain/record-type.ts";
import { byArrival } from "../statement/index-conditions.ts";
import { changesOfRecords } from "../statement/named.ts";

/** A change, and the parties that it names as a JSON list. */
export interface NamingRow {
  readonly organization_id: string;
  readonly resource_id: string;
  readonly change_no: number;
  readonly parties: string;
}

interface Texts {
  /** The changes of organizations ($1) in a range of numbers: beyond $3, and up to $4. */
  readonly due: string;
  /** The changes of one organization ($1) in such a range that may name a party ($5). */
  readonly late: string;
  /** The changes with these numbers ($1) of an organization ($2). */
  readonly numbered: string;
  /** All changes of these records. */
  readonly ofRecords: string;
  /** On SQLite, the first changes, as many as $2, of the record with a number ($1). */
  readonly first: string;
}

/** Each text is a single line, because a line of a statement may be only for one engine. */
const keyColumns = "organization_id, resource_id, change.change_no AS change_no";

/** On SQLite the first change of a record has the number of the record; later ones have an index of their own. */
const recordOf =
  "CROSS JOIN record INDEXED BY record_by_arrival ON record.record_no = change.record_no AND";
const firstOf =
  "CROSS JOIN change ON change.record_no = record.record_no AND change.change_no = record.record_no";
const later = "change INDEXED BY change_later";

/**
 * No index has this expression. By the key of records, which begins with the type, PostgreSQL would read all changes of
 * the type to find a range of numbers, as long as it does not know how many there are.
 */
const ofType = "resource_type || '' = $2";

/**
 * A subquery, which Citus does not support, finds each number by itself: by the key of records, which begins with the
 * type, PostgreSQL would read all changes of the type.
 */
const withNumbers = `
  --postgres unnest($1::bigint[]) AS wanted (number) CROSS JOIN LATERAL ( --elsewhere
  --postgres   SELECT * FROM change --elsewhere
  --postgres   WHERE organization_id = $2 AND change_no = wanted.number AND ${byArrival} OFFSET 0) AS --elsewhere
  --postgres change
  --postgres WHERE resource_type = $3
  --citus AND change_no = ANY ($1::bigint[]) AND ${byArrival} AND organization_id = $2
  `;

/** One set of statements for each type that names parties. */
const texts: ReadonlyMap<RecordType, Texts> = new Map(
  namingTypes.map((type) => [type, makeTexts(type)]),
);

export function textsOf(type: RecordType): Texts {
  const made = texts.get(type);
  if (made === undefined) throw new TypeError(`${type.resourceType} names no parties`);
  return made;
}

export function partiesIn({ parties }: Pick<NamingRow, "parties">): readonly string[] {
  const named = JSON.parse(parties) as readonly unknown[];
  return [...new Set(named.filter((one) => typeof one === "string"))];
}

/** On SQLite the ids, on PostgreSQL their JSON up to its first quote: it may find too many changes, never too few. */
export function searchedFor(parties: readonly string[]): readonly string[] {
  const beginnings = parties.map((party) => JSON.stringify(party).split('"')[1] ?? "");
  return [...new Set([...parties, ...beginnings])];
}

function makeTexts({ partyFields }: RecordType): Texts {
  const fields = partyFields.map((field) => `change.payload ->> '${field}'`);
  const onSqlite = `SELECT ${keyColumns}, json_array(${fields.join(", ")}) AS parties`;
  const onPostgres = `SELECT change.organization_id, change.resource_id, change.change_no, '[' || concat_ws(',', ${partyFields.map(jsonOf).join(", ")}) || ']' AS parties`;
  const differs = partyFields.map(
    (field, index) => `${fields[index] ?? ""} IS NOT first.payload ->> '${field}'`,
  );
  const isNamed = fields.map((field) => `${field} IN (SELECT value FROM json_each($5))`);
  const mayBeNamed = partyFields.map((field) => `${beginningOf(field)} = ANY ($5::text[])`);
  return {
    // Nearly all later changes name the same parties as the first one of their record, which is enough to find the
    // record. The others are tried with each organization, because no index has theirs.
    due: `
      --sqlite ${onSqlite} FROM json_each($1) AS owner
      --sqlite   CROSS JOIN record INDEXED BY record_by_arrival ON organization_id = owner.value
      --sqlite     AND record.record_no > $3 AND record.record_no <= $4 ${firstOf}
      --sqlite WHERE resource_type = $2
      --sqlite UNION ALL
      --sqlite ${onSqlite} FROM ${later} CROSS JOIN change AS first
      --sqlite   ON first.record_no = change.record_no AND first.change_no = change.record_no
      --sqlite   CROSS JOIN json_each($1) AS owner ${recordOf} organization_id = owner.value
      --sqlite WHERE change.change_no > change.record_no AND change.change_no > $3
      --sqlite   AND change.change_no <= $4 AND (${differs.join(" OR ")}) AND resource_type = $2
      --postgres ${onPostgres} FROM change
      --postgres WHERE organization_id = ANY ($1::text[]) AND ${ofType}
      --postgres   AND change_no > $3 AND change_no <= $4 AND ${byArrival}
      `,
    late: `
      --sqlite ${onSqlite} FROM record INDEXED BY record_by_arrival ${firstOf}
      --sqlite WHERE organization_id = $1 AND resource_type = $2 AND record.record_no > $3
      --sqlite   AND record.record_no <= $4 AND (${isNamed.join(" OR ")})
      --sqlite UNION ALL
      --sqlite ${onSqlite} FROM ${later} ${recordOf} organization_id = $1
      --sqlite WHERE change.change_no > change.record_no AND change.change_no > $3
      --sqlite   AND change.change_no <= $4 AND resource_type = $2 AND (${isNamed.join(" OR ")})
      --postgres ${onPostgres} FROM change
      --postgres WHERE organization_id = $1 AND ${ofType}
      --postgres   AND change_no > $3 AND change_no <= $4 AND ${byArrival} AND (${mayBeNamed.join(" OR ")})
      `,
    numbered: `
      --sqlite ${onSqlite} FROM json_each($1) AS number
      --sqlite   CROSS JOIN change ON change.record_no = number.value ->> 0 AND change.change_no = number.value ->> 0
      --sqlite   ${recordOf} organization_id = $2
      --sqlite WHERE resource_type = $3
      --sqlite UNION ALL
      --sqlite ${onSqlite} FROM json_each($1) AS number
      --sqlite   CROSS JOIN ${later} ON change.change_no > change.record_no AND change.change_no = number.value ->> 0
      --sqlite   ${recordOf} organization_id = $2
      --sqlite WHERE resource_type = $3
      --postgres ${onPostgres} FROM
      ${withNumbers}
      `,
    ofRecords: `
      --sqlite ${onSqlite}
      --postgres ${onPostgres}
      FROM ${changesOfRecords}
      --citus WHERE change.resource_id = ANY ($3::text[])
      `,
    first: `
      --sqlite SELECT change_no, json_array(${fields.join(", ")}) AS parties FROM change
      --sqlite WHERE record_no = $1 ORDER BY change_no LIMIT $2
      --postgres SELECT change_no, '[]' AS parties FROM change WHERE false
      `,
  };
}

/** On PostgreSQL, the JSON of a field up to its first quote or, if that is escaped, only a part of it. */
function beginningOf(field: string): string {
  return `split_part(split_part(change.payload, '"${field}":"', 2), '"', 1)`;
}

/** On PostgreSQL, the JSON of a field that is a text. */
function jsonOf(field: string): string {
  const text = beginningOf(field);
  const whole = `substring(change.payload FROM '"${field}":("(?:[^"\\\\]|\\\\.)*")')`;
  return `CASE WHEN ${text} = '' THEN NULL WHEN strpos(${text}, '\\') > 0 THEN ${whole} ELSE '"' || ${text} || '"' END`;
}
