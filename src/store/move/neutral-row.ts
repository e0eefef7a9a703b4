// The values of a row, or of its key, as text that is the same on every engine.

import type { MovedRow, MovedTable, MovedValue } from "../interface/move.ts";

/** JSON; bytes are a list with one hexadecimal string, to distinguish them from text. */
export function toText(values: MovedRow): string {
  return JSON.stringify(values.map(neutralValue));
}

/** The key values of a row, in the order of the key. */
export function keyOf({ columns, key }: MovedTable, row: MovedRow): MovedRow {
  const names = Object.keys(columns);
  return key.map((name) => row[names.indexOf(name)] ?? null);
}

function neutralValue(value: MovedValue): unknown {
  return value instanceof Uint8Array ? [Buffer.from(value).toString("hex")] : value;
}
