// The schema and its migrations in the SQL of an engine: they are written for PostgreSQL.

import { type EngineName, textFor } from "./statement/statements.ts";

/** The words of PostgreSQL, and their replacements on SQLite, whose tables are STRICT and WITHOUT ROWID. */
const words: readonly (readonly [RegExp, string])[] = [
  [/ COLLATE "C"/g, ""],
  [/\btext\b/g, "TEXT"],
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
