// The tables of a new store as schema.sql describes them: the statements that make them on an engine, and the columns of
// a table. Runs no statement.

import { readFileSync } from "node:fs";
import { type EngineName, textFor } from "./statement/statements.ts";

/** The words of PostgreSQL, and what SQLite has in their place. Its tables are checked, and stored in their keys. */
const words: readonly (readonly [RegExp, string])[] = [
  [/ COLLATE "C"/g, ""],
  [/\btext\b/g, "TEXT"],
  [/\b(?:bigint|boolean)\b/g, "INTEGER"],
  [/\bbytea\b/g, "BLOB"],
  [/\bDEFAULT false\b/g, "DEFAULT 0"],
  [/^\);$/gm, ") STRICT, WITHOUT ROWID;"],
];

export function schemaFor(engine: EngineName): string {
  const file = readFileSync(new URL("schema.sql", import.meta.url), "utf8");
  const sql = textFor(engine, file);
  if (engine === "postgres") return sql;
  return words.reduce((text, [word, own]) => text.replaceAll(word, own), sql);
}

/** A table of PostgreSQL. */
export interface TableColumns {
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** The type of each column. */
  readonly types: ReadonlyMap<string, string>;
}

/** By the name of the table. */
export function readTables(): ReadonlyMap<string, TableColumns> {
  const [, ...tables] = schemaFor("postgres").split("\nCREATE TABLE ");
  return new Map(tables.map((text) => [text.slice(0, text.indexOf(" ")), readColumns(text)]));
}

/** Reads the lines between the first and the one with the closing parenthesis. */
function readColumns(table: string): TableColumns {
  const body = table.slice(0, table.indexOf("\n)")).split("\n").slice(1);
  const lines = body.map((line) => line.trim()).filter((line) => /^\w/.test(line));
  const [, list] = /\nPRIMARY KEY \(([^)]*)\)/.exec(`\n${lines.join("\n")}`) ?? [];
  const columns = lines.filter((line) => !line.startsWith("PRIMARY KEY"));
  const types = columns
    .map((line) => line.split(/\W/))
    .map(([name = "", type = ""]) => [name, type] as const);
  const keys = columns.filter((line) => line.includes("PRIMARY KEY"));
  return {
    key: list?.split(", ") ?? keys.map((line) => line.slice(0, line.indexOf(" "))),
    types: new Map(types),
  };
}
