// Streams the rows of Parquet by row group, and large groups in parts.

import { open } from "node:fs/promises";
import { brotliDecompressSync, gunzipSync, type InputType, zstdDecompressSync } from "node:zlib";
import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetScan,
  type ParquetScan,
} from "hyparquet";
import type { RecordType } from "../../domain/record-type.ts";
import type { JsonObject } from "../../domain/schema/schema-shape.ts";
import { bulkKeys } from "./bulk-keys.ts";
import { OperatorError, reasonOf } from "../../actions/operator-error.ts";
import { compressionOf, plainName } from "./compression.ts";
import { type ColumnReader, columnReaders } from "./parquet-column-reader.ts";
import { parsers } from "./parquet-value.ts";
import type { JsonRow, RowInput } from "./row.ts";
import type { TextInput } from "./text-input.ts";

/** Rows in memory for a row group, which is written column by column. */
export const parquetGroupRows = 20_000;
/** Bytes of these rows. */
export const parquetGroupBytes = 8 * 1_024 * 1_024;

/** Resolves when the metadata at the end of the file has been read. Throws OperatorError. */
export async function openParquet(input: TextInput, type: RecordType): Promise<RowInput> {
  if (compressionOf(input.path) !== undefined) {
    throw new OperatorError(
      "input",
      `${input.path} must be decompressed to ${plainName(input.path)} first, because Parquet is read from its end.`,
    );
  }
  const opened = await explain(input.path, () => openScan(input, type));
  const fieldErrors = [...opened.columns].map(
    ([name, { cellError }]) => [name, cellError] as const,
  );
  return {
    format: "parquet",
    columns: undefined,
    typedColumns: new Map(fieldErrors),
    rows: (wanted) => readRows(input, opened, wanted),
  };
}

interface Opened {
  readonly scan: ParquetScan;
  readonly columns: ReadonlyMap<string, ColumnReader>;
}

/** Besides Snappy, which the library includes. */
const compressors: Compressors = {
  GZIP: inflate(gunzipSync),
  BROTLI: inflate(brotliDecompressSync),
  ZSTD: inflate(zstdDecompressSync),
};

function inflate(
  decompress: (bytes: InputType, options: { maxOutputLength: number }) => Uint8Array,
): (bytes: Uint8Array, size: number) => Uint8Array {
  return (bytes, size) => decompress(bytes, { maxOutputLength: Math.max(size, 1) });
}

async function openScan(input: TextInput, type: RecordType): Promise<Opened> {
  const file = fileOf(input);
  const metadata = await parquetMetadataAsync(file, { geoparquet: false });
  const columns = columnReaders(metadata, { type, codecs: Object.keys(compressors) });
  // Bytes without annotation must stay bytes, because decimals are encoded so.
  const options = { parsers, compressors, utf8: false, geoparquet: false };
  const scan = await parquetScan({ file, metadata, ...options });
  return { scan, columns };
}

/** Reads ranges of the file in any order. */
function fileOf({ path, bytes }: TextInput): AsyncBuffer {
  return {
    byteLength: bytes,
    slice: async (from, to = bytes) => {
      const part = new ArrayBuffer(Math.max(0, to - from));
      await using file = await open(path);
      const { bytesRead } = await file.read(new Uint8Array(part), 0, part.byteLength, from);
      if (bytesRead === part.byteLength) return part;
      throw new Error("it ends too early");
    },
  };
}

async function* readRows(
  input: TextInput,
  { scan, columns }: Opened,
  wanted: ReadonlySet<string> = new Set(columns.keys()),
): AsyncGenerator<JsonRow> {
  const rowsInAll = Number(scan.metadata.num_rows);
  const readers = [...columns].filter(([name]) => wanted.has(name));
  for (const part of partsOf(scan)) {
    const { rowStart, rowEnd } = part;
    const read: (readonly [name: string, values: readonly unknown[]])[] = [];
    for (const [column, { read: readValue }] of readers) {
      const values = await explain(`The column "${column}" of ${input.path}`, async () =>
        Array.from(await scan.readColumn({ column, ...part }), (value: unknown) =>
          readValue(value),
        ),
      );
      read.push([column, values]);
    }
    for (let row = rowStart; row < rowEnd; row += 1) {
      const entries = read
        .map(([name, values]) => [name, values[row - rowStart]] as const)
        .filter(([, value]) => value !== undefined);
      yield { number: row + 1, fields: withNulls(Object.fromEntries(entries)) };
    }
    input.advance(Math.round((input.bytes * rowEnd) / rowsInAll));
  }
}

interface Part {
  readonly rowStart: number;
  readonly rowEnd: number;
}

/** Ranges of rows to read at once: row groups, divided if they are larger than those of our own files. */
function* partsOf({ metadata, ranges }: ParquetScan): Generator<Part> {
  const sizes = metadata.row_groups.filter(({ num_rows: rows }) => rows > 0n).map(sizeOf);
  for (const [index, { rowStart, rowEnd }] of ranges.entries()) {
    const parts = Math.max(
      (rowEnd - rowStart) / parquetGroupRows,
      (sizes[index] ?? 0) / (2 * parquetGroupBytes),
    );
    const rows = Math.max(1, Math.ceil((rowEnd - rowStart) / Math.ceil(parts)));
    for (let from = rowStart; from < rowEnd; from += rows) {
      yield { rowStart: from, rowEnd: Math.min(from + rows, rowEnd) };
    }
  }
}

function sizeOf({ total_byte_size: bytes }: FileMetaData["row_groups"][number]): number {
  return Number(bytes);
}

/** Adds the fields that are null, if an export named them. */
function withNulls(fields: JsonObject): JsonObject {
  const { [bulkKeys.nulls]: names, ...others } = fields;
  if (!Array.isArray(names)) return fields;
  return { ...others, ...Object.fromEntries(names.map((name) => [String(name), null])) };
}

/** `what`: the subject of the sentence. */
async function explain<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    const message = `${what} can't be read as Parquet: ${reasonOf(cause)}.`;
    throw new OperatorError("input", message, { cause });
  }
}
