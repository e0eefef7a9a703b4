// The text and the values of shared statements, in the form that SQLite accepts.

import { Rows, textFor, type Value } from "../sql/statement/statements.ts";

export interface SqliteText {
  readonly text: string;
  /** The highest number of a placeholder in the text. */
  readonly places: number;
}

/** The text for SQLite, by the shared text. There are as many entries as statements in ../sql. */
const texts = new Map<string, SqliteText>();

export function sqliteText(sql: string): SqliteText {
  let text = texts.get(sql);
  if (text === undefined) texts.set(sql, (text = withPlaces(textFor("sqlite", sql))));
  return text;
}

/**
 * SQLite looks up `$1` by its name. It does so with `?1` too, which is needed only if a value is used twice. After
 * `LIMIT` it plans with the value of `?`, and so plans again for each execution, which takes longer than many
 * statements themselves; it does not for `+?`.
 */
function withPlaces(sql: string): SqliteText {
  const numbers = Array.from(sql.matchAll(/\$(\d+)/g), ([, number]) => Number(number));
  const inOrder = numbers.every((number, index) => number === index + 1);
  const text = sql.replaceAll(/\$(\d+)/g, inOrder ? "?" : "?$1").replaceAll("LIMIT ?", "LIMIT +?");
  return { text, places: Math.max(0, ...numbers) };
}

/** A list and rows become JSON, which the statement reads with `json_each`. */
export function toSqlite(values: readonly Value[], places: number): SqliteValue[] {
  const all = values.flatMap((value): SqliteValue | SqliteValue[] => {
    if (typeof value === "boolean") return Number(value);
    if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
    if (!(value instanceof Rows)) return JSON.stringify(value);
    return [JSON.stringify(value.rows), ...Array.from({ length: value.width - 1 }, () => null)];
  });
  return all.slice(0, places);
}

type SqliteValue = null | number | string | Uint8Array;
