// Compiles the format of a column or a template, as a mapping names it, to a function from its text to a value. A time
// or a number has formats; which one is meant follows from the field.

import { alternativesOf } from "../../domain/schema/schema-shape.ts";
import { cellKindOf } from "../formats/csv-cell.ts";
import { compileNumberFormat } from "../formats/number-format.ts";
import type { Row } from "../formats/row.ts";
import { compileTimeFormat } from "../formats/time-format.ts";
import type { RecordPath } from "./record-path.ts";

/** The value of a column in a row: a cell of CSV, or any JSON; undefined if there is none. */
export type Access = (column: string) => (row: Row) => unknown;

export interface CellReader {
  /** The columns that it reads besides that of the text. */
  readonly columns: readonly string[];
  readonly read: (text: string, row: Row) => unknown;
}

/** Throws UsageError. */
export function compileCellReader(
  { schema }: RecordPath,
  format: string,
  access: Access,
): CellReader {
  if (cellKindOf(schema) === "number") {
    const { read, currencyColumn } = compileNumberFormat(format);
    if (currencyColumn === undefined) return { columns: [], read: (text) => read(text, "") };
    const get = access(currencyColumn);
    return { columns: [currencyColumn], read: (text, row) => read(text, textOf(get(row) ?? "")) };
  }
  const read = compileTimeFormat(format, hasFormat(schema, "date") ? "date" : "date-time");
  return { columns: [], read: (text) => read(text.trim()) };
}

/** True for a field that is a time or a number, so that nothing else can follow @ in a template. */
export function takesFormat({ schema }: RecordPath): boolean {
  return (
    cellKindOf(schema) === "number" || hasFormat(schema, "date") || hasFormat(schema, "date-time")
  );
}

function hasFormat(schema: RecordPath["schema"], format: string): boolean {
  return alternativesOf(schema).some((one) => "format" in one && one.format === format);
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
