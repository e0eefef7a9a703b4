// The formats of an export: NDJSON, CSV and Parquet, for states and histories. An import reads all of them. They round
// nothing: timestamps are the text that was sent, and lists are JSON. Parquet is written a row group at a time: in
// memory are one group and, as the format requires, the positions of all earlier ones, but never a whole export.

import type { SchemaElement } from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { ExportedEvent } from "../../actions/record/export-records.ts";
import { protectFormula, writeRow } from "../../basics/csv-row.ts";
import type { Sink } from "../../bulk/export/sink.ts";
import { type Form, lineOfEvent, textForm } from "../../bulk/export/write-export.ts";
import { bulkKeys } from "../../bulk/formats/bulk-keys.ts";
import { type CellKind, cellKindOf, writeCell } from "../csv/csv-cell.ts";
import type { Payload, RecordType } from "../../domain/record-type.ts";
import type { SchemaShape } from "../../domain/schema/schema-shape.ts";
import type { ExportFormat } from "./export-format.ts";
import type { ExportedState } from "./export-states.ts";

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

/** `nulls`: the names of fields, for Parquet, which does not tell null from nothing. `instant`: Unix milliseconds. */
type ColumnKind = CellKind | "count" | "instant" | "nulls";

interface Column<Item> {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly valueOf: (item: Item) => unknown;
}

export function stateColumns(type: RecordType): readonly Column<ExportedState>[] {
  return [
    ...fieldColumns(type, ({ state }: ExportedState) => state),
    { name: bulkKeys.changes, kind: "json", valueOf: ({ changes }) => changes },
  ];
}

function historyColumns(type: RecordType): readonly Column<ExportedEvent>[] {
  return [
    { name: bulkKeys.change, kind: "count", valueOf: ({ number }) => number },
    { name: bulkKeys.receivedAt, kind: "instant", valueOf: ({ receivedAt }) => receivedAt },
    ...fieldColumns(type, ({ payload }: ExportedEvent) => payload),
  ];
}

function fieldColumns<Item>(
  { addSchema, fieldNames }: RecordType,
  fieldsOf: (item: Item) => Payload,
): readonly Column<Item>[] {
  const { properties }: SchemaShape = addSchema;
  const fields = fieldNames.map((name): Column<Item> => {
    const kind = cellKindOf(properties?.[name] ?? {});
    return { name, kind, valueOf: (item) => fieldsOf(item)[name] };
  });
  const nullsOf = (item: Item): readonly string[] | undefined => {
    const names = Object.entries(fieldsOf(item)).flatMap(([name, one]) =>
      one === null ? name : [],
    );
    return names.length === 0 ? undefined : names;
  };
  return [...fields, { name: bulkKeys.nulls, kind: "nulls", valueOf: nullsOf }];
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

function cellOf(kind: ColumnKind, value: unknown): string {
  if (kind === "instant") return new Date(value as number).toISOString();
  return writeCell(kind === "count" || kind === "nulls" ? "number" : kind, value);
}

export const parquetGroupRows = 20_000;
export const parquetGroupBytes = 8 * 1_024 * 1_024;

const plainBytes = 8;

type ParquetValue = string | number | bigint | boolean | Uint8Array | null;

type Annotation = Omit<SchemaElement, "name" | "repetition_type">;

const json: Annotation = { type: "BYTE_ARRAY" };

const annotations: Readonly<Record<ColumnKind, Annotation>> = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  number: { type: "DOUBLE" },
  boolean: { type: "BOOLEAN" },
  json,
  mixed: json,
  nulls: json,
  count: { type: "INT32" },
  instant: {
    type: "INT64",
    converted_type: "TIMESTAMP_MILLIS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
  },
};

export function parquetForm<Item>(columns: readonly Column<Item>[], sink: Sink): Form<Item> {
  const bytes = new ByteWriter();
  const root = { name: "record", num_children: columns.length };
  const elements = columns.map(({ name, kind }): SchemaElement => {
    return { ...annotations[kind], name, repetition_type: "OPTIONAL" };
  });
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [root, ...elements],
    codec: "SNAPPY",
    createdBy: "Sluice",
  });
  const group = new Group(columns);
  const flush = async (): Promise<void> => {
    await sink.write(bytes.getBytes().slice());
    bytes.index = 0;
  };
  const writeGroup = async (): Promise<void> => {
    await writer.write({ columnData: group.take(), rowGroupSize: parquetGroupRows });
    await flush();
  };
  return {
    write: async (items) => {
      for (const item of items) {
        group.add(item);
        if (group.isFull) await writeGroup();
      }
    },
    end: async () => {
      if (group.rows > 0) await writeGroup();
      // Declared as JSON only now, because the writer would encode such values again and lose a key.
      for (const [index, { kind }] of columns.entries()) {
        const element = elements[index];
        if (element !== undefined && annotations[kind] === json) element.converted_type = "JSON";
      }
      await writer.finish();
      await flush();
    },
  };
}

class Group<Item> {
  readonly #columns: readonly Column<Item>[];
  #values: ParquetValue[][] = [];
  #bytes = 0;
  rows = 0;

  constructor(columns: readonly Column<Item>[]) {
    this.#columns = columns;
    this.take();
  }

  get isFull(): boolean {
    return this.rows >= parquetGroupRows || this.#bytes >= parquetGroupBytes;
  }

  add(item: Item): void {
    this.rows += 1;
    for (const [index, { kind, valueOf }] of this.#columns.entries()) {
      const value = toParquet(kind, valueOf(item));
      this.#values[index]?.push(value);
      const hasLength = typeof value === "string" || value instanceof Uint8Array;
      this.#bytes += hasLength ? value.length : plainBytes;
    }
  }

  take() {
    // Minimum and maximum of JSON are useless, and would be stored at full length.
    const taken = this.#columns.map(({ name, kind }, index) => {
      const data = this.#values[index] ?? [];
      return { name, data, offsetIndex: false, statistics: annotations[kind] !== json } as const;
    });
    this.#values = this.#columns.map(() => []);
    this.rows = 0;
    this.#bytes = 0;
    return taken;
  }
}

const encoder = new TextEncoder();

function toParquet(kind: ColumnKind, value: unknown): ParquetValue {
  if (value === undefined || value === null) return null;
  if (kind === "instant") return BigInt(value as number);
  // The schema of the record has validated the kind of the value.
  return annotations[kind] === json
    ? encoder.encode(JSON.stringify(value))
    : (value as ParquetValue);
}
