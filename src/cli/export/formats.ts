// The forms that an export is written in: NDJSON and CSV, states and histories, each as `sluice import` reads it back.
// A further form is one more entry here.

import type { ExportedEvent, ExportedState } from "../../actions/export-records.ts";
import type { RecordType } from "../../domain/record-type.ts";
import type { SchemaShape } from "../../domain/schema-shape.ts";
import { cellKindOf, writeCell, writeRow } from "../csv-cell.ts";
import { bulkKeys } from "../bulk-keys.ts";

export const exportFormats = ["ndjson", "csv"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Text for what comes first, and for each item. */
export interface Form<Item> {
  readonly head: string;
  readonly write: (item: Item) => string;
}

export function stateForm(format: ExportFormat, type: RecordType): Form<ExportedState> {
  if (format === "ndjson") return { head: "", write: stateLine };
  const columns = columnsOf(type);
  return {
    head: writeRow([...type.fieldNames, bulkKeys.changes]),
    write: ({ state, changes }) =>
      writeRow([...columns.map((column) => column(state)), writeCell("json", changes)]),
  };
}

export function historyForm(format: ExportFormat, type: RecordType): Form<ExportedEvent> {
  if (format === "ndjson") return { head: "", write: eventLine };
  const columns = columnsOf(type);
  return {
    head: writeRow([bulkKeys.change, bulkKeys.receivedAt, ...type.fieldNames]),
    write: ({ number, receivedAt, payload }) => {
      const received = new Date(receivedAt).toISOString();
      return writeRow([String(number), received, ...columns.map((column) => column(payload))]);
    },
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
