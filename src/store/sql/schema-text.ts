// The schema and its migrations in the words of an engine: they are written in those of PostgreSQL.

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

export function schemaText(engine: EngineName, sql: string): string {
  const text = textFor(engine, sql);
  if (engine === "postgres") return text;
  return words.reduce((changed, [word, own]) => changed.replaceAll(word, own), text);
}
