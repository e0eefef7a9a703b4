// Compiles the format of a column or a template, as a mapping names it, to a function from its text to a value. A time,
// a number and a code have formats; which of them it is follows from the field.

import { UsageError } from "../../../actions/operator/operator-error.ts";
import { codeMeantBy } from "../../../domain/schema/codes.ts";
import { codesOf } from "../../../domain/schema/formats.ts";
import { alternativesOf } from "../../../domain/schema/schema-shape.ts";
import { CellError, cellKindOf } from "../../csv/csv-cell.ts";
import { compileNumberFormat } from "../../csv/number-format.ts";
import type { Row } from "../../csv/row.ts";
import { compileTimeFormat } from "../../csv/time-format.ts";
import type { RecordPath } from "./record-path.ts";

/** The value of a column in a row: a cell of CSV, or any JSON; undefined if there is none. */
export type Access = (column: string) => (row: Row) => unknown;

export interface CellReader {
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
  if (hasFormat(schema, "identifier")) {
    const { read } = compileNumberFormat(format);
    return { columns: [], read: (text) => wholeNumber(read(text, "")) };
  }
  const codes = codesFor(schema);
  if (codes !== undefined) {
    if (format !== "meant")
      throw new UsageError(`A code has no format "${format}"; its only format is "meant".`);
    return { columns: [], read: (text) => codeMeantBy(text, codes) ?? text };
  }
  const read = compileTimeFormat(format, hasFormat(schema, "date") ? "date" : "date-time");
  return { columns: [], read: (text) => read(text.trim()) };
}

function wholeNumber(value: unknown): unknown {
  if (typeof value !== "number") return value;
  return Number.isInteger(value) ? String(value) : new CellError("must be a whole number");
}

/** Reads a number as its sign: `+`, `-` or `0`; undefined for none. Throws UsageError. */
export function compileSignReader(format: string): (text: string) => unknown {
  const { read, currencyColumn } = compileNumberFormat(format);
  if (currencyColumn !== undefined) throw new UsageError("A sign has no minor units.");
  return (text) => {
    const value = read(text, "");
    if (typeof value !== "number") return value;
    return value === 0 ? "0" : value < 0 ? "-" : "+";
  };
}

function codesFor(schema: RecordPath["schema"]): ReadonlySet<string> | undefined {
  const found = alternativesOf(schema).find(({ format = "" }) => Object.hasOwn(codesOf, format));
  return codesOf[found?.format ?? ""];
}

/** True for a field that is a time, a number or a code, so that nothing else can follow @ in a template. */
export function takesFormat({ schema }: RecordPath): boolean {
  const isTime = hasFormat(schema, "date") || hasFormat(schema, "date-time");
  return isTime || cellKindOf(schema) === "number" || codesFor(schema) !== undefined;
}

export function hasFormat(schema: RecordPath["schema"], format: string): boolean {
  return alternativesOf(schema).some((one) => "format" in one && one.format === format);
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
