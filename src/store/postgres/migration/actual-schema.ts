// The parts that a store on PostgreSQL has, as the catalogs of the server describe them. Changes nothing.

import {
  compareSchemas,
  type SchemaDifference,
  type SchemaPart,
} from "../../shared/schema-parts.ts";
import { hasCitus } from "../citus.ts";
import type { Transaction } from "../transaction.ts";
import { expectedParts, policyText } from "./expected-schema.ts";

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
  return compareSchemas(expectedParts({ citus }), await actualParts(transaction));
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
