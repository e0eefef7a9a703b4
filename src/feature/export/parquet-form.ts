// Writes rows as Parquet: buffers a row group, and writes it to the sink when it is full. Keeps in memory one group
// and, as the format requires, the positions of all earlier groups; never a whole export.

import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { Form, Sink } from "../../bulk/export/sink.ts";
import type { ParquetColumn, ParquetValue } from "./columns.ts";

export const parquetGroupRows = 20_000;
export const parquetGroupBytes = 8 * 1_024 * 1_024;

const plainBytes = 8;

export function parquetForm<Item>(columns: readonly ParquetColumn<Item>[], sink: Sink): Form<Item> {
  const bytes = new ByteWriter();
  const root = { name: "record", num_children: columns.length };
  const elements = columns.map(({ element }) => ({ ...element }));
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
    begin: () => Promise.resolve(),
    write: async (items) => {
      for (const item of items) {
        group.add(item);
        if (group.isFull) await writeGroup();
      }
    },
    end: async () => {
      if (group.rows > 0) await writeGroup();
      // Declared as JSON only now, because the writer would encode such values again and lose a key.
      for (const [index, { isJson }] of columns.entries()) {
        const element = elements[index];
        if (element !== undefined && isJson) element.converted_type = "JSON";
      }
      await writer.finish();
      await flush();
    },
  };
}

class Group<Item> {
  readonly #columns: readonly ParquetColumn<Item>[];
  #values: ParquetValue[][] = [];
  #bytes = 0;
  rows = 0;

  constructor(columns: readonly ParquetColumn<Item>[]) {
    this.#columns = columns;
    this.take();
  }

  get isFull(): boolean {
    return this.rows >= parquetGroupRows || this.#bytes >= parquetGroupBytes;
  }

  add(item: Item): void {
    this.rows += 1;
    for (const [index, { valueOf }] of this.#columns.entries()) {
      const value = valueOf(item);
      this.#values[index]?.push(value);
      const hasLength = typeof value === "string" || value instanceof Uint8Array;
      this.#bytes += hasLength ? value.length : plainBytes;
    }
  }

  take() {
    // Minimum and maximum of JSON are useless, and would be stored at full length.
    const taken = this.#columns.map(({ name, isJson }, index) => {
      const data = this.#values[index] ?? [];
      return { name, data, offsetIndex: false, statistics: !isJson } as const;
    });
    this.#values = this.#columns.map(() => []);
    this.rows = 0;
    this.#bytes = 0;
    return taken;
  }
}
