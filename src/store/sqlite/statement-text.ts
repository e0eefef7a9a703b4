// Statements that are the same on every engine, as SQLite takes them: their text and their values.

import { textFor, type Value } from "../sql/statements.ts";

/** By the shared text of a statement: its text here. There are as many as statements in ../sql. */
const texts = new Map<string, string>();

export function sqliteText(sql: string): string {
  let text = texts.get(sql);
  if (text === undefined) texts.set(sql, (text = withPlaces(textFor("sqlite", sql))));
  return text;
}

/** `$1` would be looked up by its name. So would `?1`, which is needed only where a value is used twice. */
function withPlaces(sql: string): string {
  const numbers = Array.from(sql.matchAll(/\$(\d+)/g), ([, number]) => Number(number));
  const inOrder = numbers.every((number, index) => number === index + 1);
  return sql.replaceAll(/\$(\d+)/g, inOrder ? "?" : "?$1");
}

/** A list is read with `json_each`. */
export function toSqlite(value: Value): null | number | string | Uint8Array {
  if (typeof value === "boolean") return Number(value);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  return JSON.stringify(value);
}
