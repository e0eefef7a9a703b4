// Streams the rows of Parquet in parts of a row group. Only `sluice import` reads Parquet, in a process of its own: the
// library allocates what a file says of itself, so nothing that serves requests may import this file.

import { gunzipSync, brotliDecompressSync, zstdDecompressSync } from "node:zlib";
import {
  asyncBufferFromFile,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
} from "hyparquet";
import { OperatorError } from "../../../actions/operator/operator-error.ts";
import { systemReasonOf } from "../../../basics/system-reason.ts";
import type { JsonObject } from "../../../domain/schema/schema-shape.ts";
import { bulkKeys } from "../../../bulk/formats/bulk-keys.ts";
import { compressionOf, plainName } from "../../../bulk/formats/compression.ts";
import { formatOfName } from "./input-format.ts";
import { type OpenRows, openRows } from "./open-rows.ts";
import { type ColumnReader, columnReaders, parsers } from "./parquet-column-reader.ts";
import type { JsonRow, Row, UnreadableRow } from "../../csv/row.ts";
import type { TextInput } from "../../csv/text-input.ts";
import { inputError } from "../../csv/input-error.ts";

/** Rows that are read at once. A page is decoded again if the next part begins within it. */
const partRows = 50_000;
/** What a row group may have in memory, according to the file. */
export const groupBytesMax = 1_024 * 1_024 * 1_024;

const compressors: Compressors = {
  GZIP: (bytes, size) => gunzipSync(bytes, { maxOutputLength: Math.max(size, 1) }),
  BROTLI: (bytes, size) => brotliDecompressSync(bytes, { maxOutputLength: Math.max(size, 1) }),
  ZSTD: (bytes, size) => zstdDecompressSync(bytes, { maxOutputLength: Math.max(size, 1) }),
};
const codecs: readonly string[] = ["UNCOMPRESSED", "SNAPPY", ...Object.keys(compressors)];

export const openAnyRows: OpenRows = async (input, options) => {
  if ((options.format ?? formatOfName(input.path)) !== "parquet") return openRows(input, options);
  if (compressionOf(input.path) !== undefined) {
    throw inputError(
      `${input.path} must be decompressed to ${plainName(input.path)} first, because Parquet is read from its end.`,
    );
  }
  const file = await explain(input, () => openParquet(input.path));
  const readers = await explain(input, async () =>
    columnReaders(file.metadata, { type: options.type, codecs }),
  );
  const fieldErrors = [...readers].map(([name, { cellError }]) => [name, cellError] as const);
  return {
    format: "parquet",
    columns: undefined,
    typedColumns: new Map(fieldErrors),
    batches: (wanted) => readRows(input, { ...file, readers }, wanted),
  };
};

interface ParquetFile {
  readonly buffer: Awaited<ReturnType<typeof asyncBufferFromFile>>;
  readonly metadata: FileMetaData;
}

async function openParquet(path: string): Promise<ParquetFile> {
  const buffer = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(buffer, { geoparquet: false });
  if (metadata.row_groups.some((group) => group.total_byte_size > BigInt(groupBytesMax))) {
    const mebibytes = groupBytesMax / 1_024 / 1_024;
    throw new Unreadable(`a row group has more than ${mebibytes} MiB; write it with smaller ones`);
  }
  return { buffer, metadata };
}

type Opened = ParquetFile & { readonly readers: ReadonlyMap<string, ColumnReader> };

async function* readRows(
  input: TextInput,
  opened: Opened,
  wanted: ReadonlySet<string> = new Set(opened.readers.keys()),
): AsyncGenerator<readonly Row[]> {
  const { readers, metadata } = opened;
  const wantedReaders = [...readers].filter(([name]) => wanted.has(name));
  // If no column were read, nothing would show how many rows there really are.
  const columns = wantedReaders.length > 0 ? wantedReaders : [...readers].slice(0, 1);
  const names = columns.map(([name]) => name);
  let groupFrom = 0;
  for (const { num_rows: rows } of metadata.row_groups) {
    const groupEnd = groupFrom + Number(rows);
    for (let from = groupFrom; from < groupEnd; from += partRows) {
      const end = Math.min(groupEnd, from + partRows);
      const part = await explain(input, () => readPart(opened, { from, end, names }));
      yield part.map((values, index) => rowOf(values, from + index + 1, wantedReaders));
      input.advance(Math.round((input.bytes * end) / Number(metadata.num_rows)));
    }
    groupFrom = groupEnd;
  }
}

/** The library returns rows without values where a column has fewer values than the file says. */
async function readPart(
  { buffer: file, metadata }: ParquetFile,
  { from, end, names: columns }: { from: number; end: number; names: string[] },
): Promise<readonly JsonObject[]> {
  const ends = new Map<string, number>();
  const rows = await parquetReadObjects({
    file,
    metadata,
    columns,
    rowStart: from,
    rowEnd: end,
    compressors,
    parsers,
    // Bytes without annotation must stay bytes, because decimals are encoded so.
    utf8: false,
    geoparquet: false,
    onChunk: ({ columnName, rowEnd }) => ends.set(columnName, rowEnd),
  });
  const short = columns.find((name) => (ends.get(name) ?? 0) < end);
  if (short === undefined) return rows;
  throw new Unreadable(`the column "${short}" has fewer rows than its row group`);
}

function rowOf(
  values: JsonObject,
  number: number,
  columns: readonly (readonly [name: string, reader: ColumnReader])[],
): JsonRow | UnreadableRow {
  const entries: [string, unknown][] = [];
  const unread: string[] = [];
  for (const [name, { read }] of columns) {
    try {
      const value = read(values[name]);
      if (value !== undefined) entries.push([name, value]);
    } catch {
      unread.push(`${name} is not UTF-8`);
    }
  }
  const fields = withNulls(Object.fromEntries(entries));
  if (unread.length === 0) return { number, fields };
  return { number, text: JSON.stringify(fields), reason: unread.join("; ") };
}

function withNulls(fields: JsonObject): JsonObject {
  const { [bulkKeys.nulls]: names, ...others } = fields;
  if (!Array.isArray(names)) return fields;
  return { ...others, ...Object.fromEntries(names.map((name) => [String(name), null])) };
}

/** Its message completes "can't be read as Parquet: …"; those of the library mean nothing to users. */
class Unreadable extends Error {}

async function explain<Result>({ path }: TextInput, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    const known = cause instanceof Unreadable ? cause.message : systemReasonOf(cause);
    const why = known ?? "it is damaged or truncated, or has another format";
    throw inputError(`${path} can't be read as Parquet: ${why}.`, { cause });
  }
}
