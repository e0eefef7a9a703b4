// Streams the rows of Parquet in parts of a row group, column by column. Relies on no size that the file states
// (parquet/footer.ts, parquet/pages.ts).

import { OperatorError, reasonOf } from "../../actions/operator/operator-error.ts";
import type { RecordType } from "../../domain/record-type.ts";
import type { JsonObject } from "../../domain/schema/schema-shape.ts";
import { openFile } from "../../files/own-file.ts";
import { bulkKeys } from "./bulk-keys.ts";
import { compressionOf, plainName } from "./compression.ts";
import { ColumnValues } from "./parquet/column-values.ts";
import { type Footer, type Group, leavesOf, readFooter } from "./parquet/footer.ts";
import { codecs } from "./parquet/pages.ts";
import { isTooLong, recordCharactersMax } from "./record-characters.ts";
import { type ColumnReader, columnReaders } from "./parquet-column-reader.ts";
import type { JsonRow, Row, RowInput, UnreadableRow } from "./row.ts";
import type { TextInput } from "./text-input.ts";

/** Rows in memory for a row group, which is written column by column. */
export const parquetGroupRows = 20_000;
/** Bytes of these rows. */
export const parquetGroupBytes = 8 * 1_024 * 1_024;

/** Bounds of what is read at once, besides these: values, the fewest rows, and characters and bytes of all values. */
const partValuesMax = 400_000;
const partRowsMin = 100;
const partCharactersMax = 4 * parquetGroupBytes;
/** A file may say that it decompresses to any number of bytes. */
const likelyRatioMax = 20;

/** Resolves when the metadata at the end of the file has been read. Throws OperatorError. */
export async function openParquet(input: TextInput, type: RecordType): Promise<RowInput> {
  if (compressionOf(input.path) !== undefined) {
    throw new OperatorError(
      "input",
      `${input.path} must be decompressed to ${plainName(input.path)} first, because Parquet is read from its end.`,
    );
  }
  const footer = explain(input.path, () => {
    using file = openFile(input.path, "r");
    return readFooter(file.descriptor, input.bytes);
  });
  const readers = columnReaders(footer.metadata, { type, codecs });
  const fieldErrors = [...readers].map(([name, { cellError }]) => [name, cellError] as const);
  return Promise.resolve({
    format: "parquet",
    columns: undefined,
    typedColumns: new Map(fieldErrors),
    batches: (wanted) => readRows(input, { footer, readers }, wanted),
  });
}

type Column = readonly [name: string, reader: ColumnReader];

async function* readRows(
  input: TextInput,
  {
    footer,
    readers,
  }: { readonly footer: Footer; readonly readers: ReadonlyMap<string, ColumnReader> },
  wanted: ReadonlySet<string> = new Set(readers.keys()),
): AsyncGenerator<readonly Row[]> {
  using file = openFile(input.path, "r");
  const found = [...readers].filter(([name]) => wanted.has(name));
  // If no column were read, nothing would show how many rows there really are.
  const columns = found.length > 0 ? found : [...readers].slice(0, 1);
  let number = 0;
  for (const group of footer.groups) {
    const values = columns.map(([column]) =>
      explain(nameOf(input, column), () => valuesOf(file.descriptor, footer, { column, group })),
    );
    const partRows = rowsAtOnce(footer, group, columns);
    for (let from = 0; from < group.rows; from += partRows) {
      const count = Math.min(partRows, group.rows - from);
      const part = readPart(input, { columns, values, count });
      for (let row = 0; row < count; row += 1) {
        number += 1;
        // One by one, because each may be as long as a record can be.
        yield [rowOf(input, { number, columns: found, valueOf: (index) => part[index]?.[row] })];
      }
      input.advance(Math.round((input.bytes * number) / Number(footer.metadata.num_rows)));
    }
  }
}

function nameOf({ path }: TextInput, column: string): string {
  return `The column "${column}" of ${path}`;
}

function valuesOf(
  descriptor: number,
  { tree: root }: Footer,
  { column, group }: { readonly column: string; readonly group: Group },
): ColumnValues {
  const tree = root.children.find(({ element }) => element.name === column);
  if (tree === undefined) throw new Error("it is not in the schema");
  return new ColumnValues(descriptor, { root, tree }, group);
}

/** Rows that are read at once: fewer if they have many columns or are large. */
function rowsAtOnce({ tree }: Footer, group: Group, columns: readonly Column[]): number {
  const names = new Set(columns.map(([name]) => name));
  const leaves = leavesOf(tree).filter(({ path: [, top] }) => names.has(top?.element.name ?? ""));
  const bytes = Math.min(group.saidBytes, likelyRatioMax * group.bytes);
  return Math.max(
    partRowsMin,
    Math.min(
      parquetGroupRows,
      Math.floor(partValuesMax / Math.max(1, leaves.length)),
      Math.ceil((group.rows * 2 * parquetGroupBytes) / Math.max(1, bytes)),
    ),
  );
}

interface PartOptions {
  readonly columns: readonly Column[];
  readonly values: readonly ColumnValues[];
  readonly count: number;
}

function readPart(
  input: TextInput,
  { columns, values, count }: PartOptions,
): readonly ArrayLike<unknown>[] {
  let characters = 0;
  return values.map((one, index) => {
    const found = explain(nameOf(input, columns[index]?.[0] ?? ""), () => one.next(count));
    characters += charactersOf(found);
    if (characters <= partCharactersMax) return found;
    throw new OperatorError(
      "input",
      `${count} rows of ${input.path} have more than ${partCharactersMax} characters. Write it with smaller row groups.`,
    );
  });
}

/** Values that share their memory count once. */
function charactersOf(values: ArrayLike<unknown>): number {
  const seen = new Set<unknown>();
  let characters = 0;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (typeof value !== "string" && !(value instanceof Uint8Array)) continue;
    if (value.length > longCharacters && seen.has(value)) continue;
    if (value.length > longCharacters) seen.add(value);
    characters += value.length;
  }
  return characters;
}

/** Shorter values are counted each time, because looking them up costs more. */
const longCharacters = 200;

/** Reads values row by row, because many rows may share one dictionary value that is as long as a page. */
function rowOf(
  { path }: TextInput,
  {
    number,
    columns,
    valueOf,
  }: {
    readonly number: number;
    readonly columns: readonly Column[];
    readonly valueOf: (index: number) => unknown;
  },
): JsonRow | UnreadableRow {
  const entries: [string, unknown][] = [];
  const unread: string[] = [];
  for (const [index, [name, { read }]] of columns.entries()) {
    try {
      const value = read(valueOf(index));
      if (value !== undefined) entries.push([name, value]);
    } catch {
      unread.push(`${name} is not UTF-8`);
    }
  }
  const fields = withNulls(Object.fromEntries(entries));
  if (isTooLong(fields)) {
    const reason = `has more than ${recordCharactersMax} characters`;
    throw new OperatorError("input", `The row ${number} of ${path} ${reason}.`);
  }
  if (unread.length === 0) return { number, fields };
  return { number, text: JSON.stringify(fields), reason: unread.join("; ") };
}

/** Adds the fields that are null, if an export named them. */
function withNulls(fields: JsonObject): JsonObject {
  const { [bulkKeys.nulls]: names, ...others } = fields;
  if (!Array.isArray(names)) return fields;
  return { ...others, ...Object.fromEntries(names.map((name) => [String(name), null])) };
}

/** `what`: the subject of the sentence. */
function explain<Result>(what: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    const message = `${what} can't be read as Parquet: ${reasonOf(cause)}.`;
    throw new OperatorError("input", message, { cause });
  }
}
