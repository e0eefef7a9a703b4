// Parquet files for tests as other tools write them: columns with various types, in a given codec.

import { writeFileSync } from "node:fs";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { CompressionCodec, RowGroup, SchemaElement } from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";

export interface FileColumn {
  /**
   * The column's own element, followed by those of its children. Elements without a name are
   * optional.
   */
  readonly elements: readonly SchemaElement[];
  readonly data: unknown[];
}

export const codecs = ["UNCOMPRESSED", "SNAPPY", "GZIP", "BROTLI", "ZSTD"] as const;

/** One column without children. */
export function column(
  name: string,
  element: Omit<SchemaElement, "name" | "repetition_type">,
  data: unknown[],
): FileColumn {
  return { elements: [{ ...element, name, repetition_type: "OPTIONAL" }], data };
}

export async function writeParquet(
  path: string,
  columns: readonly FileColumn[],
  {
    codec = "SNAPPY",
    groupRows,
    claim = {},
  }: { codec?: CompressionCodec; groupRows?: number; claim?: Partial<RowGroup> } = {},
): Promise<string> {
  const bytes = new ByteWriter();
  const root = { name: "schema", num_children: columns.length };
  const elements = columns.flatMap((one) => one.elements.map((element) => ({ ...element })));
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [root, ...elements],
    codec,
    compressors: {
      GZIP: (input) => gzipSync(input),
      BROTLI: (input) => brotliCompressSync(input),
      ZSTD: (input) => zstdCompressSync(input),
      LZ4_RAW: (input) => input,
    },
  });
  await writer.write({
    columnData: columns.map(({ elements: [first], data }) => ({ name: first?.name ?? "", data })),
    ...(groupRows === undefined ? {} : { rowGroupSize: groupRows }),
  });
  for (const group of writer.row_groups) Object.assign(group, claim);
  await writer.finish();
  writeFileSync(path, bytes.getBytes());
  return path;
}
