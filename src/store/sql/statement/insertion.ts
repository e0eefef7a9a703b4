// Inserts an object as a row: a column has the name of its field in snake case, as in row/reader.ts. A field that is
// missing is null, and a list or an object becomes JSON.

import { fieldOf } from "../../row/reader.ts";
import { run, type Scalar, type Statements } from "./statements.ts";

/** Returns how many rows were inserted. */
type Insertion<Row> = (row: Row) => Statements<number>;

/** `columns`: separated by spaces. */
export function insertion<Row extends object>(
  table: string,
  columns: string,
  end = "",
): Insertion<Row> {
  const names = columns.split(" ");
  const places = names.map((_, at) => `$${at + 1}`);
  const sql = `INSERT INTO ${table} (${names.join(", ")}) VALUES (${places.join(", ")}) ${end}`;
  const fields = names.map(fieldOf);
  return (row) => {
    const values = row as Readonly<Record<string, unknown>>;
    return run(sql, ...fields.map((field) => toColumn(values[field])));
  };
}

function toColumn(value: unknown): Scalar | Uint8Array {
  if (value === undefined) return null;
  const isPlain = typeof value !== "object" || value === null || value instanceof Uint8Array;
  return isPlain ? (value as Scalar | Uint8Array) : JSON.stringify(value);
}
