// Compiles one field of a mapping to a function from a row to the value of the field, or to the reason why it has none.

import { alternativeFor, type JsonObject } from "../../../domain/schema/schema-shape.ts";
import { CellError, type CellKind, cellKindOf, nullMark, readCell } from "../../csv/csv-cell.ts";
import { noNumber } from "../../csv/number-format.ts";
import { recordCharactersMax } from "../../csv/record-characters.ts";
import { UsageError } from "../../../actions/operator/operator-error.ts";
import {
  type Access,
  compileCellReader,
  compileSignReader,
  hasFormat,
  takesFormat,
  textOf,
} from "./cell-reader.ts";
import type { Origin } from "./mapping.ts";
import type { RecordPath } from "./record-path.ts";
import type { Row } from "../../csv/row.ts";
import { mappingError } from "../rows.ts";

export interface Field {
  readonly path: RecordPath;
  readonly columns: readonly string[];
  readonly read: (row: Row) => unknown;
  readonly propertyType: string | undefined;
}

/** Throws OperatorError that names the field if its kind does not allow such an origin. */
export function compileField(path: RecordPath, origin: Origin, access: Access): Field {
  try {
    const propertyType = "type" in origin ? origin.type : undefined;
    return { path, propertyType, ...compileOrigin(path, origin, access) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw mappingError(`The mapping of ${path.text} does not work: ${error.message}`);
  }
}

type Compiled = Pick<Field, "columns" | "read">;
type ColumnOrigin = Extract<Origin, { readonly column: unknown }>;

function compileOrigin(path: RecordPath, origin: Origin, access: Access): Compiled {
  const kind = cellKindOf(path.schema);
  if ("value" in origin) return constant(kind, origin.value);
  if ("filled" in origin) return firstFilled(kind, origin.filled, access);
  if ("template" in origin) return formattedTemplate(path, origin, access);
  const columns = [origin.column].flat();
  const isSign = origin.values !== undefined && origin.format !== undefined;
  const get = firstGiven(columns.map(access), kind === "number" || isSign);
  const { columns: more, convert } = converter(path, origin, access);
  const isPlain = [origin.values, origin.format, origin.split].every((part) => part === undefined);
  const isText = isPlain && (kind === "text" || kind === "mixed");
  const read = (row: Row): unknown => {
    const cell = get(row);
    if (cell === undefined || (cell === "" && "cells" in row)) return origin.default;
    if (cell === null && !isPlain) return origin.default;
    // The CSV marks have no meaning in formats that distinguish text from other values.
    if (isText && typeof cell === "string" && "fields" in row) return cell;
    const value = convert(cell, row);
    return value === undefined ? origin.default : value;
  };
  return { columns: [...columns, ...more], read };
}

/** How little a cell says: 0 for a value, 1 for a zero, as in a debit beside a credit, 2 for `\N` and no number. */
function emptinessOf(cell: unknown, isNumber: boolean): number {
  if (cell === undefined || cell === null || cell === "") return emptiest;
  if (cell === nullMark) return 2;
  if (!isNumber) return 0;
  const text = textOf(cell);
  if (noNumber.test(text.trim())) return 2;
  return /^[^\p{L}1-9]*$/u.test(text) ? 1 : 0;
}

const emptiest = 3;

/** Reads the first of the columns that say most in the row. */
function firstGiven(
  getters: readonly ((row: Row) => unknown)[],
  isNumber: boolean,
): (row: Row) => unknown {
  const [only] = getters;
  if (only !== undefined && getters.length === 1) return only;
  return (row) => {
    let [best, least]: [unknown, number] = [undefined, emptiest];
    for (const get of getters) {
      const cell = get(row);
      const emptiness = emptinessOf(cell, isNumber);
      if (emptiness < least) [best, least] = [cell, emptiness];
    }
    return best;
  };
}

/** Says which of several columns has the value of the row, such as a debit beside a credit. */
function firstFilled(kind: CellKind, filled: JsonObject, access: Access): Compiled {
  const choices = Object.entries(filled).map(([column, value]) => {
    return { get: access(column), value: constant(kind, value).read };
  });
  const read = (row: Row) =>
    choices.find(({ get }) => emptinessOf(get(row), true) === 0)?.value(row);
  return { columns: Object.keys(filled), read };
}

function constant(kind: CellKind, literal: unknown): Compiled {
  const value = convertTo(kind, literal);
  if (value instanceof CellError) throw new UsageError(`it ${value.message}.`);
  return { columns: [], read: () => value };
}

function formattedTemplate(
  path: RecordPath,
  origin: Extract<Origin, { readonly template: string }>,
  access: Access,
): Compiled {
  const kind = cellKindOf(path.schema);
  const ownFormat = origin.format;
  const at = ownFormat === undefined && takesFormat(path) ? origin.template.lastIndexOf("@") : -1;
  const format = at === -1 ? ownFormat : origin.template.slice(at + 1);
  if (format === undefined) {
    const isId = hasFormat(path.schema, "identifier");
    return template(kind, origin.template, isId ? checkedIds(access) : access);
  }
  const text = at === -1 ? origin.template : origin.template.slice(0, at);
  const made = template("text", text, access);
  const reader = compileCellReader(path, format, access);
  const read = (row: Row): unknown => {
    const cell = made.read(row);
    return typeof cell === "string" ? reader.read(cell, row) : cell;
  };
  return { columns: [...made.columns, ...reader.columns], read };
}

/** The cells of CSV in an id are checked as where one of them is the whole id. */
function checkedIds(access: Access): Access {
  return (column) => {
    const get = access(column);
    return (row) => {
      const cell = get(row);
      if (!("cells" in row)) return cell;
      return cell === nullMark ? withNull : (wrongNumberOf(cell) ?? cell);
    };
  };
}

/** `{COLUMN}` stands for a cell, `{#}` for the number of the row. There is no value if one of the cells is empty. */
function template(kind: CellKind, text: string, access: Access): Compiled {
  const columns: string[] = [];
  const parts = text.split(/\{([^{}]+)\}/).map((piece, index) => {
    if (index % 2 === 0) return piece;
    if (piece === "#") return ({ number }: Row) => number;
    columns.push(piece);
    return access(piece);
  });
  const read = (row: Row): unknown => {
    let made = "";
    for (const part of parts) {
      const cell = typeof part === "string" ? part : part(row);
      if (cell instanceof CellError) return cell;
      if (typeof part !== "string" && emptinessOf(cell, false) === emptiest) return undefined;
      made += textOf(cell);
      if (made.length > recordCharactersMax) {
        return new CellError(`becomes longer than ${recordCharactersMax} characters`);
      }
    }
    return kind === "text" ? made : convertTo(kind, made);
  };
  return { columns, read };
}

interface Converter {
  readonly columns: readonly string[];
  readonly convert: (cell: unknown, row: Row) => unknown;
}

function converter(path: RecordPath, origin: ColumnOrigin, access: Access): Converter {
  const { values, otherwise, split } = origin;
  const format = origin.format;
  const of = (convert: Converter["convert"]): Converter => ({ columns: [], convert });
  if (values !== undefined) {
    const read = format === undefined ? (text: string) => text : compileSignReader(format);
    return of((cell) => {
      const text = read(textOf(cell));
      return typeof text === "string" ? translate(text, { values, otherwise }) : text;
    });
  }
  if (format !== undefined) {
    const { columns, read } = compileCellReader(path, format, access);
    return { columns, convert: (cell, row) => read(textOf(cell), row) };
  }
  if (split !== undefined) {
    const items = cellKindOf(alternativeFor(path.schema, "array")?.items ?? {});
    return of((cell) => splitInto(items, textOf(cell).split(split)));
  }
  const kind = cellKindOf(path.schema);
  if (!hasFormat(path.schema, "identifier")) return of((cell) => convertTo(kind, cell));
  return of((cell) => wrongNumberOf(cell) ?? convertTo(kind, cell));
}

/** Why an id is wrong by which other ids would become the same, or the same id would have two texts. */
function wrongNumberOf(cell: unknown): CellError | undefined {
  if (typeof cell !== "string" || !/^\d/.test(cell)) return undefined;
  if (cell.endsWith(".0") && /^\d+\.0$/.test(cell)) return withDecimals;
  return cell.includes("E+") && /^\d(?:[.,]\d+)?E\+\d+$/.test(cell) ? shortened : undefined;
}

const shortened = new CellError(
  "is a number that a spreadsheet has shortened, such as 1.23457E+15; export the column as text",
);
const withNull = new CellError(String.raw`is made of a cell that is \N, which is no text`);
const withDecimals = new CellError(
  "is a whole number with decimals, as pandas writes 81 beside empty cells; export the column as text, or read it as the number point",
);

function translate(
  text: string,
  { values, otherwise }: { values: JsonObject; otherwise: unknown },
): unknown {
  if (Object.hasOwn(values, text)) return values[text];
  if (otherwise !== undefined) return otherwise;
  if (Object.hasOwn(values, text.trim())) {
    return new CellError("has blanks around it; the layout trim=yes leaves them out");
  }
  const known = Object.keys(values).slice(0, 20).join(", ");
  return new CellError(
    `is ${JSON.stringify(text)}, which the mapping has no value for; it has values for ${known}`,
  );
}

const itemErrorsMax = 10;

function splitInto(kind: CellKind, parts: readonly string[]): unknown {
  const items = parts.map((part) => part.trim()).filter((part) => part !== "");
  const values = items.map((item) => convertTo(kind, item));
  const errors = values.filter((value) => value instanceof CellError).slice(0, itemErrorsMax);
  if (errors.length === 0) return values;
  return new CellError(errors.map(({ message }) => message).join("; it "));
}

/** Other JSON is unchanged, except that a number or boolean becomes text for a text field. */
function convertTo(kind: CellKind, value: unknown): unknown {
  if (typeof value === "string") return readCell(kind, value);
  const isPlain = typeof value === "number" || typeof value === "boolean";
  return kind === "text" && isPlain ? String(value) : value;
}
