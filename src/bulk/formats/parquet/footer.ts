// Reads the footer of a Parquet file: checks what it says about columns, row groups and their positions against the
// size of the file and against bounds before anything is read. Reads no values.

import { readSync } from "node:fs";
import {
  type ColumnMetaData,
  type FileMetaData,
  parquetMetadata,
  parquetSchema,
  type SchemaElement,
  type SchemaTree,
} from "hyparquet";
import { checkThrift } from "./thrift-check.ts";

const columnsMax = 1_000;
const elementsMax = 4_000;
const schemaDepthMax = 12;
/**
 * How many values the metadata of any file may have; one more is allowed for each `bytesPerValue` bytes of the file.
 */
const valuesMax = 500_000;
const bytesPerValue = 1_000;
const footerBytesMax = 16 * 1_024 * 1_024;
/** The length of the metadata, and the mark PAR1. */
const tailBytes = 8;

export interface Footer {
  readonly metadata: FileMetaData;
  readonly tree: SchemaTree;
  readonly groups: readonly Group[];
}

export interface Group {
  readonly rows: number;
  /** The size in the file. */
  readonly bytes: number;
  /** The decompressed size, according to the file. */
  readonly saidBytes: number;
  /** The key is the path of the leaf, joined by dots. */
  readonly chunks: ReadonlyMap<string, Chunk>;
}

/** The pages of a column of a row group. */
export interface Chunk {
  readonly from: number;
  readonly to: number;
  readonly data: ColumnMetaData;
}

export interface Leaf {
  readonly tree: SchemaTree;
  /** The names from the root to the column. */
  readonly path: readonly SchemaTree[];
}

/** Throws if the file is not Parquet, or if its footer contradicts the file. */
export function readFooter(descriptor: number, fileBytes: number): Footer {
  const end = readAt(
    descriptor,
    Math.max(0, fileBytes - tailBytes),
    Math.min(tailBytes, fileBytes),
  );
  if (end.length < tailBytes || end.toString("latin1", 4) !== "PAR1") {
    throw new Error("it does not end with the mark PAR1");
  }
  const length = end.readUInt32LE(0);
  const footerAt = fileBytes - tailBytes - length;
  if (footerAt < 4) throw new Error("its metadata is longer than the file");
  if (length > footerBytesMax + fileBytes / 100) throw new Error("its metadata is too long");
  const footer = readAt(descriptor, footerAt, length + tailBytes);
  const ended = checkThrift(footer.subarray(0, length), valuesMax + fileBytes / bytesPerValue);
  if (ended > length) throw new Error("its metadata ends too early");
  const metadata = parquetMetadata(footer, { geoparquet: false });
  requireSchema(metadata.schema);
  const tree = parquetSchema(metadata);
  const groups = metadata.row_groups.map((group) => readGroup(group, leavesOf(tree), footerAt));
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  if (rows !== Number(metadata.num_rows)) {
    throw new Error("its row groups do not have as many rows as its metadata says");
  }
  return { metadata, tree, groups };
}

/** Throws if the file is shorter. */
export function readAt(descriptor: number, from: number, length: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.from(new ArrayBuffer(length));
  if (readSync(descriptor, bytes, 0, length, from) === length) return bytes;
  throw new Error("it ends too early");
}

/** Call before the tree is built, which relies on the numbers of children. */
function requireSchema(elements: readonly SchemaElement[]): void {
  const [root] = elements;
  if (root?.num_children === undefined || root.num_children < 1) {
    throw new Error("it has no columns");
  }
  if (root.num_children > columnsMax || elements.length > elementsMax) {
    throw new Error(`it has more than ${columnsMax} columns, or ${elementsMax} with those inside`);
  }
  // For each element that lacks children, how many are missing; the outermost first.
  const open: number[] = [];
  for (const [
    index,
    { num_children: children = 0, type_length: bytes = 0 },
  ] of elements.entries()) {
    const missing = open.pop();
    if ((missing === undefined) !== (index === 0) || children < 0 || bytes < 0) throw noTree();
    if (missing !== undefined && missing > 1) open.push(missing - 1);
    if (children > 0) open.push(children);
    if (open.length > schemaDepthMax) {
      throw new Error(`its columns are nested more than ${schemaDepthMax} levels deep`);
    }
  }
  if (open.length > 0) throw noTree();
}

function noTree(): Error {
  return new Error("the columns of its metadata form no tree");
}

/** Returns the leaves in the order of the file. */
export function leavesOf(tree: SchemaTree, above: readonly SchemaTree[] = []): readonly Leaf[] {
  const path = [...above, tree];
  if (tree.children.length === 0) return [{ tree, path }];
  return tree.children.flatMap((child) => leavesOf(child, path));
}

function readGroup(
  { columns, num_rows: rows, total_byte_size: said }: FileMetaData["row_groups"][number],
  leaves: readonly Leaf[],
  footerAt: number,
): Group {
  if (rows < 0n || rows > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new Error("a row group has an impossible number of rows");
  }
  const chunks = leaves.map(({ tree }, index): [string, Chunk] => {
    const { meta_data: data, file_path: other } = columns[index] ?? {};
    const path = tree.path.join(".");
    if (data === undefined || data.path_in_schema.join(".") !== path) {
      throw new Error(`a row group has no values for the column "${path}"`);
    }
    if (other !== undefined) throw new Error(`the column "${path}" is in another file`);
    const from = Number(data.dictionary_page_offset ?? 0n) || Number(data.data_page_offset);
    const to = from + Number(data.total_compressed_size);
    if (!(from >= 4 && from <= to && to <= footerAt)) {
      throw new Error(`the column "${path}" is not within the file`);
    }
    return [path, { from, to, data }];
  });
  const bytes = chunks.reduce((sum, [, { from, to }]) => sum + to - from, 0);
  return { rows: Number(rows), bytes, saidBytes: Number(said ?? 0n), chunks: new Map(chunks) };
}
