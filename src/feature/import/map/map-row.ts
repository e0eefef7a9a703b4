// Maps rows to records by a mapping, or by the names of the columns, compiled once for a type and an input. Validates a
// record only if a cell of it can't be read, because such a record is not sent.

import type { FieldError } from "../../../domain/error.ts";
import { limits } from "../../../domain/limits.ts";
import { nounOf, type Payload, type RecordType } from "../../../domain/record-type.ts";
import { isJsonObject, type JsonObject } from "../../../domain/schema/schema-shape.ts";
import { validatorOf } from "../../../domain/schema/validator.ts";
import { explainRefusal } from "../../../domain/validation/explain.ts";
import { bulkKeys, isBulkKey } from "../../../bulk/formats/bulk-keys.ts";
import { CellError, readCell } from "../../csv/csv-cell.ts";
import { isTooLong, valueCharactersMax } from "../../csv/record-characters.ts";
import {
  findColumn,
  firstStep,
  requireColumn,
  unknownColumns,
  withOwnNames,
} from "./column-names.ts";
import type { Access } from "./cell-reader.ts";
import { compileField, type Field } from "./map-field.ts";
import type { Mapping } from "./mapping.ts";
import { closeGaps, putAt, resolvePath } from "./record-path.ts";
import type { Layout } from "../../csv/layout.ts";
import { type CsvRow, type Row, type RowInput, trimRow } from "../../csv/row.ts";

export interface Submission {
  readonly update: boolean;
  readonly payload: Payload;
}

/** The writes for a row, in order, or the reasons why there are none. */
export type MappedRow = Readonly<
  { submissions: readonly Submission[] } | { fieldErrors: readonly FieldError[] }
>;

export interface RowMapper {
  readonly map: (row: Row) => MappedRow;
  readonly unused: readonly string[];
  readonly used: ReadonlySet<string> | undefined;
}

export interface MapperOptions {
  readonly type: RecordType;
  readonly mapping: Mapping;
  readonly update: boolean;
  readonly layout?: Layout;
}

/** Throws OperatorError if the mapping does not match the type or the columns. */
export function makeRowMapper(input: RowInput, options: MapperOptions): RowMapper {
  const { columns, typedColumns } = input;
  const { type, mapping, layout } = options;
  const names = columns ?? typedColumns?.keys().toArray();
  const access = columns === undefined ? inFields : inCells(columns);
  const compile = (origins: Mapping) =>
    [...origins].map(([path, origin]) => compileField(resolvePath(type, path), origin, access));
  const all = compile(names === undefined ? mapping : withOwnNames(names, options));
  // The objects of Parquet, as those of JSON, have the fields of their own names.
  const fields = columns === undefined ? compile(mapping) : all;
  const map = bounded(mapWith(fields, columns, options), layout);
  if (names === undefined) return { map, unused: [], used: undefined };
  const read = all.flatMap((field) => field.columns);
  const used =
    typedColumns === undefined
      ? new Set(read)
      : new Set(
          [...read, ...names.filter(isBulkKey)].map((one) => requireColumn(typedColumns, one)),
        );
  const unused = names.filter((name) => name !== "" && !used.has(name) && !isBulkKey(name));
  if (mapping.size === 0 && unused.length > 0) throw unknownColumns(type, unused);
  return { map, unused, used };
}

/** A mapping may use a long cell in any number of fields. */
function bounded(map: RowMapper["map"], { trim }: Layout = {}): RowMapper["map"] {
  return (row) => {
    const mapped = map(trim === "yes" ? trimRow(row) : row);
    if ("fieldErrors" in mapped || !mapped.submissions.some(({ payload }) => isTooLong(payload)))
      return mapped;
    const message = `becomes a record of more than ${valueCharactersMax} characters`;
    return { fieldErrors: [{ message }] };
  };
}

function inCells(columns: readonly string[]): Access {
  return (column) => {
    const index = findColumn(columns, column);
    return (row) => ("cells" in row ? row.cells[index] : undefined);
  };
}

const inFields: Access = (column) => {
  const steps = column.split(".");
  return (row) => ("fields" in row ? lookUp(row.fields, { column, steps }) : undefined);
};

function mapWith(
  fields: readonly Field[],
  columns: readonly string[] | undefined,
  { type, mapping, update }: MapperOptions,
): RowMapper["map"] {
  const finish = finisher(type);
  if (columns === undefined) {
    const build = mapping.size === 0 ? unmapped : builder(fields, type);
    return (row) => {
      if (!("fields" in row)) return unreadable(row);
      const changes = row.fields[bulkKeys.changes];
      if (changes !== undefined) return fromChanges(changes);
      return finish(build(row), update || Number(row.fields[bulkKeys.change] ?? 1) !== 1);
    };
  }
  const build = builder(fields);
  const [changeAt, changesAt] = [bulkKeys.change, bulkKeys.changes].map((key) =>
    columns.indexOf(key),
  );
  return (row) => {
    if (!("cells" in row)) return unreadable(row);
    if (!fits(row.cells, columns.length)) return wrongCellCount(row, columns.length);
    const changes = cellAt(row, changesAt);
    if (changes !== "") return fromChanges(readCell("json", changes));
    const number = cellAt(row, changeAt);
    return finish(build(row), update || (number !== "" && number !== "1"));
  };
}

interface Built {
  readonly payload: Payload;
  readonly fieldErrors: readonly FieldError[];
}

/** Adds the other errors of a row with unreadable cells, so that all errors can be corrected at once. */
function finisher(type: RecordType): (built: Built, update: boolean) => MappedRow {
  return ({ payload, fieldErrors }, update) => {
    if (fieldErrors.length === 0) return { submissions: [{ update, payload }] };
    const unread = new Set(fieldErrors.map(({ field }) => firstStep(field)));
    const schema = update ? type.updateSchema : type.addSchema;
    const invalid = validatorOf(schema).Check(payload)
      ? []
      : explainRefusal(schema, payload, { what: nounOf(type) });
    const others = invalid.filter(({ field }) => !unread.has(firstStep(field)));
    return { fieldErrors: [...fieldErrors, ...others].slice(0, limits.fieldErrorsMax) };
  };
}

/** `type`: given for JSON, whose keys with the name of a field are imported too. */
function builder(fields: readonly Field[], type?: RecordType): (row: Row) => Built {
  const hasNested = fields.some(({ path }) => path.steps.length > 1);
  const mapped = new Set(fields.map(({ path }) => path.steps[0]));
  const own = type?.fieldNames.filter((name) => !mapped.has(name)) ?? [];
  return (row) => {
    const record = "fields" in row ? pick(row.fields, own) : {};
    const fieldErrors: FieldError[] = [];
    for (const { path, read, propertyType } of fields) {
      const value = read(row);
      if (value instanceof CellError) {
        fieldErrors.push({ field: path.text, message: value.message });
      } else if (value !== undefined) putAt(record, path, { value, type: propertyType });
    }
    if (hasNested) closeGaps(record);
    return { fieldErrors, payload: record };
  };
}

function pick(fields: JsonObject, names: readonly string[]): Record<string, unknown> {
  const given = names.filter((name) => Object.hasOwn(fields, name));
  return Object.fromEntries(given.map((name) => [name, fields[name]]));
}

function unmapped(row: Row): Built {
  const fields = "fields" in row ? row.fields : {};
  const names = Object.keys(fields);
  const own = names.filter((name) => !isBulkKey(name));
  return { payload: own.length === names.length ? fields : pick(fields, own), fieldErrors: [] };
}

function lookUp(
  fields: JsonObject,
  { column, steps }: { column: string; steps: readonly string[] },
): unknown {
  if (Object.hasOwn(fields, column)) return fields[column];
  let value: unknown = fields;
  for (const step of steps) {
    if (!isJsonObject(value) || !Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  return value;
}

function cellAt({ cells }: CsvRow, index = -1): string {
  return index === -1 ? "" : (cells[index] ?? "");
}

function fromChanges(changes: unknown): MappedRow {
  if (!Array.isArray(changes) || changes.length === 0 || !changes.every(isJsonObject)) {
    return { fieldErrors: [{ field: bulkKeys.changes, message: "must be a list of objects" }] };
  }
  return { submissions: changes.map((payload, index) => ({ update: index > 0, payload })) };
}

function unreadable(row: Row): MappedRow {
  return { fieldErrors: [{ message: "reason" in row ? row.reason : "can't be read" }] };
}

/** Some programs write more delimiters than there are columns. */
function fits(cells: readonly string[], columns: number): boolean {
  return (
    cells.length === columns || (cells.length > columns && cells.slice(columns).join("") === "")
  );
}

function wrongCellCount({ cells, line }: CsvRow, columns: number): MappedRow {
  const where = line === undefined ? "" : `, in line ${line} of the file`;
  const count = cells.length === 1 ? "1 cell" : `${cells.length} cells`;
  const message = `has ${count}${where}, but there are ${columns} columns; a quote or a delimiter may be missing`;
  return { fieldErrors: [{ message }] };
}
