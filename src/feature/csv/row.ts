// The rows of an input: lines of CSV or NDJSON, items of a JSON list, or rows of Parquet.

import { isJsonObject, type JsonObject } from "../../domain/schema/schema-shape.ts";
import type { Layout } from "./layout.ts";

export interface CsvRow {
  /** Rows are counted from 1; a row of a file of refused rows has its number in the first input. */
  readonly number: number;
  readonly cells: readonly string[];
  readonly line?: number | undefined;
}

export interface JsonRow {
  readonly number: number;
  readonly line?: number | undefined;
  readonly fields: JsonObject;
}

/** A row that can't be parsed; `reason` completes the sentence "It …". */
export interface UnreadableRow {
  readonly number: number;
  readonly text: string;
  readonly reason: string;
  readonly line?: number | undefined;
}

export type Row = CsvRow | JsonRow | UnreadableRow;

/** A row that is not parsed yet, because its text takes less memory than its cells or fields. */
export interface TextRow {
  readonly number: number;
  readonly text: string;
  readonly line?: number | undefined;
  readonly parse: (row: TextRow) => Row;
}

export type UnparsedRow = TextRow | Row;

/** Throws OperatorError if the input is damaged there. */
export function parseRow(row: UnparsedRow): Row {
  return "parse" in row ? row.parse(row) : row;
}

export const inputFormats = ["csv", "ndjson", "json", "parquet"] as const;
export type InputFormat = (typeof inputFormats)[number];

export interface RowInput {
  readonly format: InputFormat;
  readonly columns: readonly string[] | undefined;
  readonly delimiter?: string;
  readonly detected?: Layout;
  /** How many lines of CSV were no rows so far, such as comments and those after the last row. */
  readonly ignoredLines?: () => number;
  /** The columns of Parquet, each with the reason if it can't be read, which completes the sentence "The column …". */
  readonly typedColumns?: ReadonlyMap<string, string | undefined>;
  /** Rows in batches, as they are read. Of Parquet, only the named columns are read, if any are named. */
  batches(columns?: ReadonlySet<string>): AsyncIterable<readonly UnparsedRow[]>;
}

export function trimRow(row: Row): Row {
  if ("cells" in row) return { ...row, cells: row.cells.map((cell) => cell.trim()) };
  return "fields" in row ? { ...row, fields: trimValue(row.fields) as JsonObject } : row;
}

function trimValue(value: unknown): unknown {
  if (typeof value === "string") return value.trim();
  if (Array.isArray(value)) return value.map(trimValue);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, trimValue(held)]));
}

export async function* rowsOf(input: RowInput, columns?: ReadonlySet<string>): AsyncGenerator<Row> {
  for await (const batch of input.batches(columns)) yield* batch.map(parseRow);
}
