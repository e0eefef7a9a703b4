// The formats of an export: NDJSON, CSV and Parquet, for states and histories. `sluice import` reads all of them.

import type { ExportedEvent, ExportedState } from "../../actions/export-records.ts";
import type { RecordType } from "../../domain/record-type.ts";
import type { SchemaShape } from "../../domain/schema/schema-shape.ts";
import { cellKindOf, writeCell, writeRow } from "./csv-cell.ts";
import { bulkKeys } from "./bulk-keys.ts";
import { formatByEnding } from "./compression.ts";
import { historyColumns, stateColumns } from "./parquet-column.ts";
import { parquetForm } from "./parquet-form.ts";
import type { Form, Sink } from "../export/sink.ts";

export const exportFormats = ["ndjson", "csv", "parquet"] as const;
export type ExportFormat = (typeof exportFormats)[number];

const formatsByEnding: Readonly<Record<string, ExportFormat>> = {
  ndjson: "ndjson",
  jsonl: "ndjson",
  csv: "csv",
  parquet: "parquet",
};

/** Undefined for an unknown ending. */
export function formatOfOutput(name: string): ExportFormat | undefined {
  return formatByEnding(name, formatsByEnding);
}

export interface FormOptions {
  readonly type: RecordType;
  readonly format: ExportFormat;
}

export function stateForm({ format, type }: FormOptions, sink: Sink): Form<ExportedState> {
  if (format === "ndjson") return textForm({ head: "", line: stateLine }, sink);
  if (format === "parquet") return parquetForm(stateColumns(type), sink);
  const columns = columnsOf(type);
  const head = writeRow([...type.fieldNames, bulkKeys.changes]);
  const line = ({ state, changes }: ExportedState): string =>
    writeRow([...columns.map((column) => column(state)), writeCell("json", changes)]);
  return textForm({ head, line }, sink);
}

export function historyForm({ format, type }: FormOptions, sink: Sink): Form<ExportedEvent> {
  if (format === "ndjson") return textForm({ head: "", line: eventLine }, sink);
  if (format === "parquet") return parquetForm(historyColumns(type), sink);
  const columns = columnsOf(type);
  const head = writeRow([bulkKeys.change, bulkKeys.receivedAt, ...type.fieldNames]);
  const line = ({ number, receivedAt, payload }: ExportedEvent): string => {
    const received = new Date(receivedAt).toISOString();
    return writeRow([String(number), received, ...columns.map((column) => column(payload))]);
  };
  return textForm({ head, line }, sink);
}

function textForm<Item>(
  { head, line }: { readonly head: string; readonly line: (item: Item) => string },
  sink: Sink,
): Form<Item> {
  return {
    begin: () => sink.write(head),
    write: (item) => sink.write(line(item)),
    end: () => Promise.resolve(),
  };
}

function stateLine({ state, changes }: ExportedState): string {
  const line = changes === undefined ? state : { ...state, [bulkKeys.changes]: changes };
  return `${JSON.stringify(line)}\n`;
}

function eventLine({ number, receivedAt, payload }: ExportedEvent): string {
  const received = new Date(receivedAt).toISOString();
  const line = { [bulkKeys.change]: number, [bulkKeys.receivedAt]: received, ...payload };
  return `${JSON.stringify(line)}\n`;
}

type Column = (fields: Readonly<Record<string, unknown>>) => string;

function columnsOf(type: RecordType): readonly Column[] {
  const { properties }: SchemaShape = type.addSchema;
  return type.fieldNames.map((name): Column => {
    const kind = cellKindOf(properties[name] ?? {});
    return (fields) => writeCell(kind, fields[name]);
  });
}
