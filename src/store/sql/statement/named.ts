// The records that a statement is about, as a table `named` that the statement joins.

import type { RecordKey } from "../../../domain/record/record-write.ts";
import { Rows } from "./statements.ts";
import { keyValues, type NumberedKey } from "../../shared/record-key.ts";

/** The columns in a list, separated by commas, without their types. */
export function columnsIn(columns: string): readonly string[] {
  return columns.split(", ").map((column) => column.split(" ")[0] ?? "");
}

/** The first values of a statement as a table. A column is text unless its name is followed by another type. */
export function named(...columns: readonly string[]): string {
  const all = columns.flatMap((some) => some.split(", ")).map((column) => column.split(" "));
  const names = all.map(([name]) => name).join(", ");
  const onSqlite = all.map(([name], index) => `value ->> ${index} AS ${name}`).join(", ");
  const onPostgres = all.map(([, type = "text"], index) => `$${index + 1}::${type}[]`).join(", ");
  return `
    --sqlite (SELECT ${onSqlite} FROM json_each($1)) AS named
    --postgres unnest(${onPostgres}) AS named (${names})
    `;
}

/** A hash in a row of a statement, in the text form that PostgreSQL reads and writes for bytes. */
export function hashText(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes).toString("hex")}`;
}

/**
 * The bytes of a column with such texts, which is named with the type `bytea`. Under row security PostgreSQL uses no
 * index for what calls a function like `decode`, and would read all rows of an organization for each hash.
 */
export function hashIn(column: string): string {
  return `
    --sqlite unhex(substr(${column}, 3))
    --postgres ${column}
    `;
}

export const namedRecords = named("organization_id", "resource_type", "resource_id");

export const keyColumns = ["organization_id", "resource_type", "resource_id"];

/** A condition: the columns of a table have the values of those with these names. */
export function equal(
  table: string,
  columns: readonly string[],
  names: readonly string[] = columns,
): string {
  return columns.map((one, at) => `${table}.${one} = named.${names[at] ?? one}`).join(" AND ");
}

/**
 * The same on PostgreSQL. The first column is that of the indexes. With `=` for this one, all rows could be joined in
 * the order of an index, instead of being found by it, and would be if PostgreSQL took the table for almost empty, as
 * it was when the statistics were made.
 */
export function sameOnServer(
  table: string,
  columns: readonly string[] = keyColumns,
  names: readonly string[] = columns,
): string {
  return columns
    .map((one, at) => [`${table}.${one}`, `named.${names[at] ?? one}`])
    .map(([one, other], at) => (at === 0 ? `${one} = ANY (ARRAY[${other}])` : `${one} = ${other}`))
    .join(" AND ");
}

/** The same on each engine. */
export function sameAsNamed(
  table: string,
  columns: readonly string[],
  names: readonly string[] = columns,
): string {
  const [onSqlite, onPostgres] = [equal, sameOnServer].map((one) => one(table, columns, names));
  return `
    --sqlite ${onSqlite}
    --postgres ${onPostgres}
    `;
}

/** Joins the rows of a table that have the named values, SQLite for each of the named rows in their order. */
export function joinNamed(
  table: string,
  columns: readonly string[] = keyColumns,
  names: readonly string[] = columns,
): string {
  const same = sameAsNamed(table, columns, names);
  return `
    --sqlite CROSS
    JOIN ${table} ON ${same}`;
}

/** The named records that exist. */
export const existingRecords = namedRecords + joinNamed("record");

/** Joins the changes of the named records. */
export const joinChanges = `
  --sqlite CROSS JOIN record USING (organization_id, resource_type, resource_id)
  --sqlite CROSS JOIN change ON change.record_no = record.record_no
  --postgres JOIN change ON ${sameOnServer("change")}
  `;

/** The changes of the named records. */
export const changesOfRecords = namedRecords + joinChanges;

/** The deletion is the one with the named `id`. */
export const namedDeletion = sameAsNamed("deletion", ["deletion_request_id"], ["id"]);

const joinTargetsWith = (condition: string) => `
  --sqlite CROSS JOIN deletion_target AS target USING (${keyColumns.join(", ")})
  --postgres CROSS JOIN LATERAL ( --elsewhere
  --postgres   SELECT * FROM deletion_target AS one --elsewhere
  --postgres   WHERE ${keyColumns.map((name) => `one.${name} = named.${name}`).join(" AND ")} --elsewhere
  --postgres   ${condition} OFFSET 0) AS target --elsewhere
  --citus JOIN deletion_target AS target ON ${sameOnServer("target")}
  `;

/**
 * Joins the targets of plans that are about the named records. Their index also has the action, by which all of it
 * could be read; the subquery, which Citus does not support, has PostgreSQL begin with the key.
 */
export const joinTargets = joinTargetsWith("");

/** For statements that select `action = 'erase'`: many plans may redact a record, and are not read. */
export const joinErasing = joinTargetsWith("AND one.action = 'erase'");

export function keyRows(keys: readonly RecordKey[]): Rows {
  return new Rows(keys.map(keyValues), 3);
}

/** The number is the fourth column. */
export function numberedRows(keys: readonly NumberedKey[]): Rows {
  const rows = keys.map((one) => [...keyValues(one), one.recordNo]);
  return new Rows(rows, 4);
}

/** On SQLite: the numbers of such records, also of those that no longer exist and whose changes are left. */
export const numbersOf = `
    --sqlite SELECT record.record_no FROM json_each($1) AS named CROSS JOIN record
    --sqlite   ON organization_id = named.value ->> 0 AND resource_type = named.value ->> 1
    --sqlite     AND resource_id = named.value ->> 2
    --sqlite UNION
    --sqlite SELECT value ->> 3 FROM json_each($1) WHERE value ->> 3 IS NOT NULL
    `;

/** Ends a statement that removes (`USING`) or changes (`FROM`) the rows with the values of the named ones. */
export function among(
  keyword: "USING" | "FROM",
  table: string,
  columns: readonly string[],
): string {
  const names = columns.flatMap((column) => columnsIn(column));
  const onSqlite = names.map((_, index) => `value ->> ${index}`).join(", ");
  const same = sameOnServer(table, names);
  const source = named(...columns)
    .split("\n")
    .filter((line) => line.includes("--postgres"));
  return `
    --postgres ${keyword}
    ${source.join("\n")}
    WHERE
    --sqlite (${names.join(", ")}) IN (SELECT ${onSqlite} FROM json_each($1))
    --postgres ${same}
    `;
}

/** A condition that is true if a column is among the texts in a value of a statement, usually the first one. */
export function inNamedIds(column: string, place = 1): string {
  return `
    --sqlite ${column} IN (SELECT value FROM json_each($${place}))
    --postgres ${column} = ANY ($${place}::text[])
    `;
}

/** Further conditions on those of these columns that have a value, and the values: the first of them is `$place`. */
export function matching(
  wanted: Readonly<Record<string, string | undefined>>,
  place: number,
): { readonly sql: string; readonly values: readonly string[] } {
  const pairs = Object.entries(wanted).filter(([, value]) => value !== undefined);
  return {
    sql: pairs.map(([column], at) => ` AND ${column} = $${place + at}`).join(""),
    values: pairs.flatMap(([, value]) => value ?? []),
  };
}

/** Selects the types in `$4`; without a list, every type: looking into one takes a tenth of the time. */
export const ofTypes = "($4 IS NULL OR resource_type IN (SELECT value FROM json_each($4)))";
export const ofTypesOnServer = "($4::text[] IS NULL OR resource_type = ANY ($4::text[]))";
