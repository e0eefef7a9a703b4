// The formats of an export: NDJSON, CSV and Parquet, for states and histories. `sluice import` reads all of them.

import type { ExportedEvent, ExportedState } from "../../actions/record/export-records.ts";
import type { Payload, RecordType } from "../../domain/record-type.ts";
import type { SchemaShape } from "../../domain/schema/schema-shape.ts";
import { protectFormula, writeRow } from "../../basics/csv-row.ts";
import { cellKindOf, writeCell } from "../../bulk/formats/csv-cell.ts";
import { bulkKeys } from "../../bulk/formats/bulk-keys.ts";
import type { ExportFormat } from "./export-format.ts";
import { historyColumns, stateColumns } from "./columns.ts";
import { parquetForm } from "./parquet-form.ts";
import type { Form, Sink } from "../../bulk/export/sink.ts";

export interface FormOptions {
  readonly type: RecordType;
  readonly format: ExportFormat;
  /** CSV that people open in spreadsheets, which execute cells that look like formulas. */
  readonly spreadsheet?: boolean;
}

export function stateForm(
  { format, type, spreadsheet }: FormOptions,
  sink: Sink,
): Form<ExportedState> {
  if (format === "parquet") return parquetForm(stateColumns(type), sink);
  if (format === "ndjson") return textForm("", lineOfState, sink);
  const cellsOf = cellWriter(type, spreadsheet);
  const head = writeRow([...type.fieldNames, bulkKeys.changes]);
  const line = ({ state, changes }: ExportedState): string =>
    writeRow([...cellsOf(state), writeCell("json", changes)]);
  return textForm(head, line, sink);
}

export function historyForm(
  { format, type, spreadsheet }: FormOptions,
  sink: Sink,
): Form<ExportedEvent> {
  if (format === "parquet") return parquetForm(historyColumns(type), sink);
  if (format === "ndjson") return textForm("", (event) => toLine(fieldsOfEvent(event)), sink);
  const cellsOf = cellWriter(type, spreadsheet);
  const head = writeRow([bulkKeys.change, bulkKeys.receivedAt, ...type.fieldNames]);
  const line = (event: ExportedEvent): string =>
    writeRow([String(event.number), receivedAt(event), ...cellsOf(event.payload)]);
  return textForm(head, line, sink);
}

function lineOfState({ state, text, changes }: ExportedState): string {
  return text === undefined ? toLine({ ...state, [bulkKeys.changes]: changes }) : `${text}\n`;
}

function fieldsOfEvent(event: ExportedEvent): object {
  const { number, payload } = event;
  return { [bulkKeys.change]: number, [bulkKeys.receivedAt]: receivedAt(event), ...payload };
}

function receivedAt(event: ExportedEvent): string {
  return new Date(event.receivedAt).toISOString();
}

function toLine(fields: object): string {
  return `${JSON.stringify(fields)}\n`;
}

function textForm<Item>(head: string, line: (item: Item) => string, sink: Sink): Form<Item> {
  return {
    begin: () => sink.write(head),
    write: (items) => sink.write(items.map(line).join("")),
    end: () => Promise.resolve(),
  };
}

function cellWriter(type: RecordType, spreadsheet = false): (fields: Payload) => readonly string[] {
  const { properties }: SchemaShape = type.addSchema;
  const kinds = type.fieldNames.map(
    (name) => [name, cellKindOf(properties?.[name] ?? {})] as const,
  );
  const protect = spreadsheet ? protectFormula : (cell: string) => cell;
  return (fields) => kinds.map(([name, kind]) => protect(writeCell(kind, fields[name])));
}
