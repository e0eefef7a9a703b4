// Writes rows as Parquet: buffers a row group, and writes it to the sink when it is full. Holds in memory one group and, as the
// format requires, the positions of all earlier groups; never a whole export.

import type { DecodedArray } from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { limits } from "../../domain/limits.ts";
import type { ParquetColumn, ParquetValue } from "./parquet-column.ts";
import type { Form, Sink } from "../export/sink.ts";

/** The size of a value other than text, in bytes. */
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
    await writer.write({ columnData: group.take(), rowGroupSize: limits.parquetGroupRows });
    await flush();
  };
  return {
    begin: () => Promise.resolve(),
    write: (item) => {
      group.add(item);
      return group.isFull ? writeGroup() : Promise.resolve();
    },
    end: async () => {
      if (!group.isEmpty) await writeGroup();
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

interface ColumnData {
  readonly name: string;
  readonly data: DecodedArray;
  readonly offsetIndex: false;
  /** Minimum and maximum of JSON are useless, and would be stored at full length. */
  readonly statistics: boolean;
}

class Group<Item> {
  readonly #columns: readonly ParquetColumn<Item>[];
  #values: ParquetValue[][];
  #rows = 0;
  #bytes = 0;

  constructor(columns: readonly ParquetColumn<Item>[]) {
    this.#columns = columns;
    this.#values = columns.map(() => []);
  }

  get isEmpty(): boolean {
    return this.#rows === 0;
  }

  get isFull(): boolean {
    return this.#rows >= limits.parquetGroupRows || this.#bytes >= limits.parquetGroupBytes;
  }

  add(item: Item): void {
    this.#rows += 1;
    for (const [index, { valueOf }] of this.#columns.entries()) {
      const value = valueOf(item);
      this.#values[index]?.push(value);
      this.#bytes += bytesOf(value);
    }
  }

  /** Empties the group. */
  take(): ColumnData[] {
    const taken = this.#columns.map(({ name, isJson }, index): ColumnData => {
      const data = this.#values[index] ?? [];
      return { name, data, offsetIndex: false, statistics: !isJson };
    });
    this.#values = this.#columns.map(() => []);
    this.#rows = 0;
    this.#bytes = 0;
    return taken;
  }
}

function bytesOf(value: ParquetValue): number {
  return typeof value === "string" || value instanceof Uint8Array ? value.length : plainBytes;
}
