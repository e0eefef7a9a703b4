// A row of an input: what one line of CSV, one line of NDJSON, one item of a JSON list or one row of Parquet holds. Data
// only.

import type { JsonObject } from "../../domain/schema/schema-shape.ts";

export interface CsvRow {
  /** From 1; of the first input, where this one is made of rows that were refused there. */
  readonly number: number;
  readonly cells: readonly string[];
}

export interface JsonRow {
  readonly number: number;
  readonly fields: JsonObject;
}

/** A row that has no cells or fields; `reason` ends the sentence "It …". */
export interface UnreadableRow {
  readonly number: number;
  readonly text: string;
  readonly reason: string;
}

export type Row = CsvRow | JsonRow | UnreadableRow;

export const inputFormats = ["csv", "ndjson", "json", "parquet"] as const;
export type InputFormat = (typeof inputFormats)[number];

/** An input that is open, with what its beginning says. */
export interface RowInput {
  readonly format: InputFormat;
  /** The cells of the first line of CSV. */
  readonly columns: readonly string[] | undefined;
  /** The columns of Parquet, each with why it can't be read, if it can't; ends the sentence "The column …". */
  readonly typedColumns?: ReadonlyMap<string, string | undefined>;
  /** Of Parquet only the columns that are named, if any are. */
  rows(columns?: ReadonlySet<string>): AsyncIterable<Row>;
}
