// Writes rows as Parquet: buffers a row group, and writes it to the sink when it is full. Keeps in memory one group
// and, as the format requires, the positions of all earlier groups; never a whole export. Rounds nothing: timestamps
// are the text that was sent; lists are JSON.

import type { SchemaElement } from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { Sink } from "../../bulk/export/sink.ts";
import type { Form } from "../../bulk/export/write-export.ts";
import type { Column } from "./columns.ts";

export const parquetGroupRows = 20_000;
export const parquetGroupBytes = 8 * 1_024 * 1_024;

const plainBytes = 8;

type Value = string | number | bigint | boolean | Uint8Array | null;

type Annotation = Omit<SchemaElement, "name" | "repetition_type">;

const json: Annotation = { type: "BYTE_ARRAY" };

const annotations: Readonly<Record<Column<never>["kind"], Annotation>> = {
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
  #values: Value[][] = [];
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

function toParquet(kind: Column<never>["kind"], value: unknown): Value {
  if (value === undefined || value === null) return null;
  if (kind === "instant") return BigInt(value as number);
  // The schema of the record has validated the kind of the value.
  return annotations[kind] === json ? encoder.encode(JSON.stringify(value)) : (value as Value);
}
