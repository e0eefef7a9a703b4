// The columns of an export in Parquet. Rounds nothing: timestamps are the text that was sent; lists are JSON.

import type { SchemaElement } from "hyparquet";
import type { ExportedEvent, ExportedState } from "../../actions/record/export-records.ts";
import type { Payload, RecordType } from "../../domain/record-type.ts";
import type { SchemaShape } from "../../domain/schema/schema-shape.ts";
import { bulkKeys } from "../../bulk/formats/bulk-keys.ts";
import { type CellKind, cellKindOf } from "../../bulk/formats/csv-cell.ts";

export type ParquetValue = string | number | bigint | boolean | Uint8Array | null;

export interface ParquetColumn<Item> {
  readonly name: string;
  readonly element: SchemaElement;
  readonly isJson: boolean;
  readonly valueOf: (item: Item) => ParquetValue;
}

type Annotation = Omit<SchemaElement, "name" | "repetition_type">;

const text: Annotation = { type: "BYTE_ARRAY", converted_type: "UTF8" };
const json: Annotation = { type: "BYTE_ARRAY" };
const instant: Annotation = {
  type: "INT64",
  converted_type: "TIMESTAMP_MILLIS",
  logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
};

const annotations: Readonly<Record<CellKind, Annotation>> = {
  text,
  number: { type: "DOUBLE" },
  boolean: { type: "BOOLEAN" },
  json,
  mixed: json,
};

export function stateColumns(type: RecordType): readonly ParquetColumn<ExportedState>[] {
  return [
    ...fieldColumns(type, ({ state }: ExportedState) => state),
    column(bulkKeys.changes, json, ({ changes }) => writeJson(changes)),
  ];
}

export function historyColumns(type: RecordType): readonly ParquetColumn<ExportedEvent>[] {
  return [
    column(bulkKeys.change, { type: "INT32" }, ({ number }: ExportedEvent) => number),
    column(bulkKeys.receivedAt, instant, ({ receivedAt }) => BigInt(receivedAt)),
    ...fieldColumns(type, ({ payload }: ExportedEvent) => payload),
  ];
}

function fieldColumns<Item>(
  type: RecordType,
  fieldsOf: (item: Item) => Payload,
): readonly ParquetColumn<Item>[] {
  const { properties }: SchemaShape = type.addSchema;
  const fields = type.fieldNames.map((name) => {
    const kind = cellKindOf(properties?.[name] ?? {});
    const write = annotations[kind] === json ? writeJson : writePlain;
    return column(name, annotations[kind], (item: Item) => write(fieldsOf(item)[name]));
  });
  return [...fields, column(bulkKeys.nulls, json, (item) => listNulls(fieldsOf(item)))];
}

function column<Item>(
  name: string,
  annotation: Annotation,
  valueOf: (item: Item) => ParquetValue,
): ParquetColumn<Item> {
  const element: SchemaElement = { ...annotation, name, repetition_type: "OPTIONAL" };
  return { name, element, isJson: annotation === json, valueOf };
}

/** The schema of the record has validated the kind of the value. */
function writePlain(value: unknown): ParquetValue {
  return (value ?? null) as ParquetValue;
}

const encoder = new TextEncoder();

function writeJson(value: unknown): ParquetValue {
  return value === undefined || value === null ? null : encoder.encode(JSON.stringify(value));
}

function listNulls(fields: Payload): ParquetValue {
  const names = Object.keys(fields).filter((name) => fields[name] === null);
  return names.length === 0 ? null : writeJson(names);
}
