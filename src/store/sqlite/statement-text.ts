// The text and the values of shared statements, in the form that SQLite accepts.

import { textFor, type Value } from "../sql/statements.ts";

/** The text for SQLite, by the shared text. There are as many as statements in ../sql. */
const texts = new Map<string, string>();

export function sqliteText(sql: string): string {
  let text = texts.get(sql);
  if (text === undefined) texts.set(sql, (text = withPlaces(textFor("sqlite", sql))));
  return text;
}

/** SQLite would look up `$1` by its name. So it does `?1`, which is needed only where a value is used twice. */
function withPlaces(sql: string): string {
  const numbers = Array.from(sql.matchAll(/\$(\d+)/g), ([, number]) => Number(number));
  const inOrder = numbers.every((number, index) => number === index + 1);
  return sql.replaceAll(/\$(\d+)/g, inOrder ? "?" : "?$1");
}

/** A list becomes JSON, which the statement reads with `json_each`. */
export function toSqlite(value: Value): null | number | string | Uint8Array {
  if (typeof value === "boolean") return Number(value);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  return JSON.stringify(value);
}
