// The formats of an export: NDJSON, CSV and Parquet, for states and histories. An import reads all of them.

import type { ExportedEvent } from "../../actions/record/export-records.ts";
import { protectFormula, writeRow } from "../../basics/csv-row.ts";
import type { Sink } from "../../bulk/export/sink.ts";
import { type Form, lineOfEvent, textForm } from "../../bulk/export/write-export.ts";
import { bulkKeys } from "../../bulk/formats/bulk-keys.ts";
import { writeCell } from "../../bulk/formats/csv-cell.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { type Column, historyColumns, stateColumns } from "./columns.ts";
import type { ExportFormat } from "./export-format.ts";
import type { ExportedState } from "./export-states.ts";
import { parquetForm } from "./parquet-form.ts";

interface FormOptions {
  readonly type: RecordType;
  readonly format: ExportFormat;
  /** CSV that people open in spreadsheets, which execute cells that look like formulas. */
  readonly spreadsheet: boolean;
}

export function stateForm(options: FormOptions, sink: Sink): Form<ExportedState> {
  if (options.format === "ndjson") return textForm(lineOfState, sink);
  return tableForm(stateColumns(options.type), options, sink);
}

export function historyForm(options: FormOptions, sink: Sink): Form<ExportedEvent> {
  if (options.format === "ndjson") return textForm(lineOfEvent, sink);
  return tableForm(historyColumns(options.type), options, sink);
}

function lineOfState({ state, text, changes }: ExportedState): string {
  return `${text ?? JSON.stringify({ ...state, [bulkKeys.changes]: changes })}\n`;
}

function tableForm<Item>(
  columns: readonly Column<Item>[],
  { format, spreadsheet }: FormOptions,
  sink: Sink,
): Form<Item> {
  if (format === "parquet") return parquetForm(columns, sink);
  const shown = columns.filter(({ kind }) => kind !== "nulls");
  const protect = spreadsheet ? protectFormula : (cell: string) => cell;
  const line = (item: Item) =>
    writeRow(shown.map(({ kind, valueOf }) => protect(cellOf(kind, valueOf(item)))));
  return textForm(line, sink, writeRow(shown.map(({ name }) => name)));
}

function cellOf(kind: Column<never>["kind"], value: unknown): string {
  if (kind === "instant") return new Date(value as number).toISOString();
  return writeCell(kind === "count" || kind === "nulls" ? "number" : kind, value);
}
