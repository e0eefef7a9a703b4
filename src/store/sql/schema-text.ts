// The schema and its migrations in the SQL of an engine: they are written for PostgreSQL.

import { type EngineName, textFor } from "./statement/statements.ts";

/** The words of PostgreSQL, and their replacements on SQLite, whose tables are STRICT and WITHOUT ROWID. */
const words: readonly (readonly [RegExp, string])[] = [
  [/ COLLATE "C"/g, ""],
  [/\btext\b/g, "TEXT"],
  [/^ *(\w+) boolean\b/gm, "  $1 INTEGER CHECK ($1 IN (0, 1))"],
  [/\b(?:bigint|boolean)\b/g, "INTEGER"],
  [/\bbytea\b/g, "BLOB"],
  [/\bDEFAULT false\b/g, "DEFAULT 0"],
  [/^\);$/gm, ") STRICT, WITHOUT ROWID;"],
];

export function schemaText(engine: EngineName, sql: string): string {
  const text = textFor(engine, sql);
  if (engine === "postgres") return text;
  return words.reduce((changed, [word, own]) => changed.replaceAll(word, own), text);
}

/** The statements of a text. Only in comments can a semicolon occur that ends no statement. */
export function statementsOf(sql: string): readonly string[] {
  const statements = sql.replaceAll(/--[^\n]*/g, "").split(";");
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== "");
}
