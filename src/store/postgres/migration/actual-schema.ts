// The parts that a store on PostgreSQL has, as the catalogs of the server describe them, and those that it should have,
// derived from the schema and from the list of columns without statistics. Changes nothing.

import {
  compareSchemas,
  type SchemaDifference,
  type SchemaPart,
} from "../../shared/schema-parts.ts";
import { hasCitus, distributedTables } from "../citus.ts";
import type { Transaction } from "../transaction.ts";
import { statementsOf } from "../../sql/schema-text.ts";
import type { StoreParts } from "../../sql/store-parts.ts";
import { policyName, policyOf, securedTables, type Sharing } from "./row-security.ts";
import { mayBeSampled } from "./statistics.ts";

/** Without what belongs to an extension. */
const ownClasses = `
  SELECT oid, relname, relkind, relpersistence, relrowsecurity, relforcerowsecurity FROM pg_class
  WHERE relnamespace = quote_ident(current_schema())::regnamespace
    AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')`;

const columnNames = `
  SELECT string_agg(coalesce(attname, 'an expression'), ', ' ORDER BY place)
  FROM unnest(numbers) WITH ORDINALITY AS number (attnum, place)
    LEFT JOIN pg_attribute ON attrelid = of_table AND pg_attribute.attnum = number.attnum AND number.attnum > 0`;

const readParts = `
  WITH own AS (${ownClasses}), tables AS (SELECT * FROM own WHERE relkind IN ('r', 'p')),
    columns AS (
      SELECT relname, relname || '.' || attname AS name, attstattarget IS NOT DISTINCT FROM 0 AS excluded,
        format_type(atttypid, atttypmod) || CASE collname WHEN 'C' THEN ' COLLATE "C"' ELSE '' END
        || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END
        || coalesce(' DEFAULT ' || regexp_replace(pg_get_expr(adbin, adrelid), '::[a-z ]+$', ''), '') AS text
      FROM tables JOIN pg_attribute ON attrelid = tables.oid AND attnum > 0 AND NOT attisdropped
        LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        LEFT JOIN pg_collation ON pg_collation.oid = attcollation),
    constraints AS (
      SELECT relname, contype, confrelid, (SELECT names FROM (${columnNames}) AS listed (names)) AS names,
        CASE WHEN convalidated THEN 'valid' ELSE 'not valid' END AS text
      FROM tables JOIN (SELECT *, conkey AS numbers, conrelid AS of_table FROM pg_constraint) AS one
        ON conrelid = tables.oid),
    indexes AS (
      SELECT tables.relname AS table_name, own.relname, CASE WHEN indisunique THEN 'unique ' ELSE '' END
        || 'on ' || tables.relname || ' (' || (SELECT names FROM (${columnNames}) AS listed (names)) || ')'
        || CASE WHEN indpred IS NULL THEN '' ELSE ' for some rows' END
        || CASE WHEN indisvalid AND indisready THEN '' ELSE ', but not valid' END AS text
      FROM tables JOIN (SELECT *, indkey::int2[] AS numbers, indrelid AS of_table FROM pg_index) AS one
          ON indrelid = tables.oid
        JOIN own ON own.oid = indexrelid
      WHERE NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u', 'x')))
  SELECT 'table ' || relname AS name, relname AS of, CASE relpersistence WHEN 'p' THEN 'logged' ELSE 'unlogged' END AS text
  FROM tables
  UNION ALL SELECT 'sequence ' || relname, NULL, 'a counter' FROM own WHERE relkind = 'S'
  UNION ALL SELECT 'row-level security of ' || relname, relname,
    CASE WHEN relforcerowsecurity THEN 'on' ELSE 'on, but not for the owner' END
  FROM tables WHERE relrowsecurity
  UNION ALL SELECT 'column ' || name, relname, text FROM columns
  UNION ALL SELECT 'exclusion of ' || name || ' from statistics', relname, 'on' FROM columns WHERE excluded
  UNION ALL SELECT 'primary key of ' || relname, relname, '(' || names || ')' FROM constraints WHERE contype = 'p'
  UNION ALL SELECT 'unique constraint of ' || relname || ' (' || names || ')', relname, text
  FROM constraints WHERE contype = 'u'
  UNION ALL SELECT 'check constraint of ' || relname || ' (' || names || ')', relname, text
  FROM constraints WHERE contype = 'c'
  UNION ALL SELECT 'foreign key of ' || relname || ' (' || names || ') to ' || confrelid::regclass, relname, text
  FROM constraints WHERE contype = 'f'
  UNION ALL SELECT 'index ' || relname, table_name, text FROM indexes
  UNION ALL SELECT 'trigger ' || tgname || ' of ' || relname, relname, 'on'
  FROM tables JOIN pg_trigger ON tgrelid = tables.oid AND NOT tgisinternal`;

const readPolicies = `
  SELECT 'policy ' || policyname || ' of ' || tablename AS name, tablename AS of, coalesce(qual, '') AS using,
    coalesce(with_check, '') AS check,
    permissive = 'PERMISSIVE' AND cmd = 'ALL' AND roles = '{public}' AS usual
  FROM pg_policies WHERE schemaname = current_schema()`;

interface PolicyRow {
  readonly name: string;
  readonly of: string;
  readonly using: string;
  readonly check: string;
  readonly usual: boolean;
}

/** Compares the schema of a store with that of this version. */
export async function compareSchema(transaction: Transaction): Promise<SchemaDifference> {
  const citus = await hasCitus(transaction);
  const expected = expectedParts(transaction.storeParts, { citus });
  return compareSchemas(expected, await actualParts(transaction));
}

async function actualParts(transaction: Transaction): Promise<readonly SchemaPart[]> {
  const parts = await transaction.all<SchemaPart>(readParts);
  const policies = await transaction.all<PolicyRow>(readPolicies);
  const described = policies.map(({ name, of, using, check, usual }) => {
    const text = policyText(using, check);
    return { name, of, text: usual ? text : `${text}, for some roles or statements` };
  });
  return [...parts, ...described];
}

/** What is read from the text of the schema. Kept: each store that is opened or checked is compared with it. */
const written = new WeakMap<StoreParts, readonly SchemaPart[]>();

function expectedParts(
  parts: StoreParts,
  { citus }: { readonly citus: boolean },
): readonly SchemaPart[] {
  const distributed = distributedTables(parts);
  const known = written.get(parts) ?? statementsOf(parts.schemaFor("postgres")).flatMap(partsOf);
  written.set(parts, known);
  return [
    ...known,
    ...securedTables(parts).flatMap((table) =>
      securityOf(table, { citus, isShared: table in distributed }),
    ),
    ...excludedColumns(parts),
  ];
}

function partsOf(statement: string): readonly SchemaPart[] {
  const [, sequence] = /^CREATE SEQUENCE (\w+)$/.exec(statement) ?? [];
  if (sequence !== undefined)
    return [{ name: `sequence ${sequence}`, of: null, text: "a counter" }];
  const [, table, body = ""] = /^CREATE TABLE (\w+) (.*)$/s.exec(statement) ?? [];
  if (table !== undefined) {
    const lines = inParentheses(body).flatMap((line) => ofTable(table, line));
    return [{ name: `table ${table}`, of: table, text: "logged" }, ...lines];
  }
  const [, unique = "", index, on = "", rest = ""] =
    /^CREATE (UNIQUE )?INDEX (\w+)\s+ON (\w+) (.*)$/s.exec(statement) ?? [];
  if (index === undefined) return [];
  return [{ name: `index ${index}`, of: on, text: indexText(unique, on, rest) }];
}

/** A line of CREATE TABLE: the key, or a column with its constraints. */
function ofTable(table: string, line: string): readonly SchemaPart[] {
  const [, key] = /^PRIMARY KEY (\(.*\))$/.exec(line) ?? [];
  if (key !== undefined) return [{ name: `primary key of ${table}`, of: table, text: key }];
  const [words = "", check] = line.split(" CHECK ");
  const [column = "", type = ""] = words.split(" ");
  const [, initial] = / DEFAULT ('[^']*'|\w+)/.exec(words) ?? [];
  const [, target] = / REFERENCES (\w+)/.exec(words) ?? [];
  const text = [
    type,
    words.includes(' COLLATE "C"') ? ' COLLATE "C"' : "",
    words.includes(" NOT NULL") ? " NOT NULL" : "",
    initial === undefined ? "" : ` DEFAULT ${initial}`,
  ];
  const all = {
    [`column ${table}.${column}`]: text.join(""),
    [`primary key of ${table}`]: words.includes(" PRIMARY KEY") ? `(${column})` : undefined,
    [`unique constraint of ${table} (${column})`]: words.includes(" UNIQUE") ? "valid" : undefined,
    [`check constraint of ${table} (${column})`]: check === undefined ? undefined : "valid",
    [`foreign key of ${table} (${column}) to ${target}`]:
      target === undefined ? undefined : "valid",
  };
  return Object.entries(all).flatMap(([name, described]) =>
    described === undefined ? [] : [{ name, of: table, text: described }],
  );
}

/** Like the query of actual-schema.ts, which does not say what an expression or a condition is. */
function indexText(unique: string, table: string, rest: string): string {
  const columns = inParentheses(rest).map((one) => (/^\w+$/.test(one) ? one : "an expression"));
  const where = / WHERE |\nWHERE /.test(rest.replaceAll(/\s+/g, " ")) ? " for some rows" : "";
  return `${unique === "" ? "" : "unique "}on ${table} (${columns.join(", ")})${where}`;
}

/** The text in the first pair of parentheses, divided at the commas that are in no further pair. */
function inParentheses(text: string): readonly string[] {
  const items: string[] = [""];
  let depth = 0;
  for (const sign of text.slice(text.indexOf("("))) {
    if (sign === "(") depth += 1;
    if (sign === ")") depth -= 1;
    if (depth === 0) break;
    if (sign === "," && depth === 1) items.push("");
    else items.push(`${items.pop() ?? ""}${sign}`);
  }
  return items.map((item, at) => (at === 0 ? item.slice(1) : item).replaceAll(/\s+/g, " ").trim());
}

function securityOf(table: string, { citus, isShared }: Sharing): readonly SchemaPart[] {
  const { using, check } = policyOf(table, { citus });
  const owners = citus && isShared ? "on, but not for the owner" : "on";
  return [
    { name: `row-level security of ${table}`, of: table, text: owners },
    { name: `policy ${policyName} of ${table}`, of: table, text: policyText(using, check) },
  ];
}

function namedIn(expression: string): string {
  return [...new Set(expression.match(/'[^']*'|\bIS NULL\b/g))].sort().join(" ") || "nothing";
}

/** Only what the expressions name is compared, because how the server writes an expression depends on its version. */
function policyText(using: string, check: string): string {
  return `by ${namedIn(using)} to read and ${namedIn(check)} to write`;
}

function excludedColumns(parts: StoreParts): readonly SchemaPart[] {
  return [...parts.tablesOn("postgres")].flatMap(([table, { columns }]) =>
    [...columns.keys()]
      .filter((column) => mayBeSampled(parts, { table, column }) === false)
      .map((column) => ({
        name: `exclusion of ${table}.${column} from statistics`,
        of: table,
        text: "on",
      })),
  );
}
