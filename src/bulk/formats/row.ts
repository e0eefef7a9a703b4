// The rows of an input: lines of CSV or NDJSON, items of a JSON list, or rows of Parquet. Types only.

import type { JsonObject } from "../../domain/schema/schema-shape.ts";

export interface CsvRow {
  /** Rows are counted from 1; a row of a file of refused rows has its number in the first input. */
  readonly number: number;
  readonly cells: readonly string[];
}

export interface JsonRow {
  readonly number: number;
  readonly fields: JsonObject;
}

/** A row that can't be parsed; `reason` completes the sentence "It …". */
export interface UnreadableRow {
  readonly number: number;
  readonly text: string;
  readonly reason: string;
}

export type Row = CsvRow | JsonRow | UnreadableRow;

export const inputFormats = ["csv", "ndjson", "json", "parquet"] as const;
export type InputFormat = (typeof inputFormats)[number];

/** An open input. */
export interface RowInput {
  readonly format: InputFormat;
  /** The cells of the first line of CSV. */
  readonly columns: readonly string[] | undefined;
  /** The columns of Parquet, each with the reason if it can't be read, which completes the sentence "The column …". */
  readonly typedColumns?: ReadonlyMap<string, string | undefined>;
  /** Parquet is read only in the named columns, if any are named. */
  rows(columns?: ReadonlySet<string>): AsyncIterable<Row>;
}
