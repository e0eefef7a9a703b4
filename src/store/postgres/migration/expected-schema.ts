// The parts that a store on PostgreSQL should have, derived from schema.sql and from the lists of secured tables and of
// columns that are kept out of statistics. Reads no database.

import { distributedTables } from "../citus.ts";
import { statementsOf } from "../../sql/schema-text.ts";
import { readTables, schemaFor } from "../../sql/schema.ts";
import type { SchemaPart } from "../../shared/schema-parts.ts";
import { policyName, policyOf, securedTables } from "./row-security.ts";
import { mayBeSampled } from "./statistics.ts";

export function expectedParts({ citus }: { readonly citus: boolean }): readonly SchemaPart[] {
  return [
    ...statementsOf(schemaFor("postgres")).flatMap(partsOf),
    ...Object.keys(securedTables).flatMap((table) => securityOf(table, citus)),
    ...excludedColumns(),
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

/** What stands between the first parenthesis and the one that closes it, divided at its own commas. */
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

function securityOf(table: string, citus: boolean): readonly SchemaPart[] {
  const { using, check } = policyOf(table, { citus });
  const owners = citus && table in distributedTables ? "on, but not for the owner" : "on";
  return [
    { name: `row-level security of ${table}`, of: table, text: owners },
    { name: `policy ${policyName} of ${table}`, of: table, text: policyText(using, check) },
  ];
}

function namedIn(expression: string): string {
  return [...new Set(expression.match(/'[^']*'|\bIS NULL\b/g))].sort().join(" ") || "nothing";
}

/**
 * The settings and the views that a policy names. The server writes expressions in its own way, which differs between
 * versions.
 */
export function policyText(using: string, check: string): string {
  return `by ${namedIn(using)} to read and ${namedIn(check)} to write`;
}

function excludedColumns(): readonly SchemaPart[] {
  return [...readTables("postgres")].flatMap(([table, { columns }]) =>
    [...columns.keys()]
      .filter((column) => mayBeSampled(table, column) === false)
      .map((column) => ({
        name: `exclusion of ${table}.${column} from statistics`,
        of: table,
        text: "on",
      })),
  );
}
