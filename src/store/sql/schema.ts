// The statements that make the tables of a new store on an engine, from schema.sql. Runs no statement.

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
