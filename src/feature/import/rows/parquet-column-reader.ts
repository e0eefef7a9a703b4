// Chooses how to read each column of a Parquet file, by its type and by the field with that name, or says why it can't
// be read. An unreadable column is an error only if it is needed. Rounds nothing: what a double does not represent
// exactly becomes text.

import {
  type FileMetaData,
  type ParquetParsers,
  parquetSchema,
  type SchemaElement,
  type SchemaTree,
} from "hyparquet";
import {
  findInexactNumbers,
  isExactNumber,
  parseExactJson,
} from "../../../domain/json/exact-number.ts";
import { dayMs } from "../../../basics/duration.ts";
import type { RecordType } from "../../../domain/record-type.ts";
import type { SchemaShape } from "../../../domain/schema/schema-shape.ts";
import { CellError, type CellKind, cellKindOf, readCell } from "../../csv/csv-cell.ts";

type ReadValue = (value: unknown) => unknown;

export interface ColumnReader {
  /** Why the column can't be read; completes the sentence "The column …". */
  readonly cellError: string | undefined;
  readonly read: ReadValue;
}

/** Removes the annotation of decimals from the metadata, because the library would round them. */
export function columnReaders(
  metadata: FileMetaData,
  { type, codecs }: { readonly type: RecordType; readonly codecs: readonly string[] },
): ReadonlyMap<string, ColumnReader> {
  const { properties }: SchemaShape = type.addSchema;
  const known = new Set(codecs);
  const { children } = parquetSchema(metadata);
  return new Map(
    children.map((tree): [string, ColumnReader] => {
      const { name } = tree.element;
      const cellError = codecError(metadata, { name, known }) ?? columnTypeError(tree);
      const read = cellError === undefined ? readerOf(tree) : readAny;
      const field = properties !== undefined && Object.hasOwn(properties, name);
      const kind = field ? cellKindOf(properties[name] ?? {}) : undefined;
      return [
        name,
        { cellError, read: kind === undefined ? read : (value) => convert(kind, read(value)) },
      ];
    }),
  );
}

function codecError(
  { row_groups: groups }: FileMetaData,
  { name, known }: { name: string; known: ReadonlySet<string> },
): string | undefined {
  const codec = groups
    .flatMap(({ columns }) => columns)
    .filter(({ meta_data: data }) => data?.path_in_schema[0] === name)
    .map(({ meta_data: data }) => data?.codec ?? "")
    .find((used) => !known.has(used));
  if (codec === undefined) return undefined;
  return `is compressed with ${codec}, which is not supported; supported are ${[...known].join(", ")}`;
}

const unreadTypes: ReadonlySet<string> = new Set([
  "BSON",
  "INTERVAL",
  "TIME",
  "TIME_MILLIS",
  "TIME_MICROS",
  "VARIANT",
  "GEOMETRY",
  "GEOGRAPHY",
]);

function columnTypeError({ element, children }: SchemaTree, isInside = false): string | undefined {
  const types = [element.converted_type, element.logical_type?.type];
  const unread = types.find((one) => one !== undefined && unreadTypes.has(one));
  const where = isInside ? " inside" : "";
  if (unread !== undefined)
    return `has values of the type ${unread}${where}, which is not supported`;
  if (isInside && isDecimal(element)) return "has decimals inside, which are not supported";
  if (isInside && isLocal(element))
    return "has times without a zone inside, which are not supported";
  return children
    .map((child) => columnTypeError(child, true))
    .find((cellError) => cellError !== undefined);
}

function readerOf({ element, children }: SchemaTree): ReadValue {
  if (children.length > 0) return readAny;
  if (isDecimal(element)) return decimalReader(element);
  if (element.converted_type === "JSON") {
    return (value) => {
      const text = readAny(value);
      return typeof text === "string" ? (readJson(text) ?? undefined) : text;
    };
  }
  return isLocal(element) ? (value) => withoutZone(readAny(value)) : readAny;
}

function isDecimal({ converted_type: converted, logical_type: logical }: SchemaElement): boolean {
  return converted === "DECIMAL" || logical?.type === "DECIMAL";
}

function isLocal({ logical_type: logical }: SchemaElement): boolean {
  return logical?.type === "TIMESTAMP" && !logical.isAdjustedToUTC;
}

function decimalReader(element: SchemaElement): ReadValue {
  const { logical_type: logical } = element;
  const scale = element.scale ?? (logical?.type === "DECIMAL" ? logical.scale : 0);
  delete element.converted_type;
  delete element.logical_type;
  return (value) => readDecimal(value, scale);
}

/** Other values are unchanged, and validation refuses the record. */
function convert(kind: CellKind, value: unknown): unknown {
  if (typeof value === "string") {
    if (kind === "text" || kind === "mixed") return value;
    const read = readCell(kind, value);
    return read instanceof CellError ? value : read;
  }
  if (kind === "text" && (typeof value === "number" || typeof value === "boolean")) {
    return String(value);
  }
  if (kind === "boolean" && (value === 0 || value === 1)) return value === 1;
  return value;
}

/** The library's conversions of annotated values, which come before a reader. */
export const parsers: Partial<ParquetParsers> = {
  timestampFromMilliseconds: (since) => timeText(since, 3),
  timestampFromMicroseconds: (since) => timeText(since, 6),
  timestampFromNanoseconds: (since) => timeText(since, 9),
  dateFromDays: (days) => dateText(days),
  // Text that is not UTF-8 stays bytes, and JSON stays text, until its row is read.
  stringFromBytes: readUtf8OrBytes,
  jsonFromBytes: readUtf8OrBytes,
};

function readDecimal(value: unknown, scale: number): unknown {
  return value === undefined || value === null ? undefined : decimal(unscaled(value), scale);
}

function unscaled(value: unknown): bigint {
  if (value instanceof Uint8Array) {
    const hex = Buffer.from(value).toString("hex");
    return hex === "" ? 0n : BigInt.asIntN(value.length * 8, BigInt(`0x${hex}`));
  }
  return BigInt(value as number | bigint);
}

function decimal(whole: bigint, scale: number): number | string {
  const digits = (whole < 0n ? -whole : whole).toString().padStart(scale + 1, "0");
  const fraction = scale === 0 ? "" : `.${digits.slice(-scale)}`;
  const text = `${whole < 0n ? "-" : ""}${digits.slice(0, digits.length - scale)}${fraction}`;
  return numberOr(text);
}

function numberOr(text: string): number | string {
  return isExactNumber(text, Number(text)) ? Number(text) : text;
}

/** Converts lists and objects too, at any depth; null means no value. */
function readAny(value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "bigint") return numberOr(String(value));
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value instanceof Uint8Array) return decoder.decode(value);
  if (Array.isArray(value)) return value.map((item) => readAny(item) ?? null);
  if (typeof value !== "object") return value;
  const entries = Object.entries(value).map(([name, part]) => [name, readAny(part)] as const);
  return Object.fromEntries(entries.filter(([, part]) => part !== undefined));
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function readUtf8OrBytes(bytes: Uint8Array): string | Uint8Array {
  try {
    return decoder.decode(bytes);
  } catch {
    return bytes;
  }
}

/** The text itself if it is not JSON, or if a number in it would be rounded. */
function readJson(text: string): unknown {
  try {
    const value = parseExactJson(text);
    return findInexactNumbers(value).length > 0 ? text : value;
  } catch {
    return text;
  }
}

function timeText(since: bigint, digits: number): string {
  const perSecond = 10n ** BigInt(digits);
  const seconds = since / perSecond - (since % perSecond < 0n ? 1n : 0n);
  const fraction = String(since - seconds * perSecond).padStart(digits, "0");
  const date = new Date(Number(seconds) * 1_000);
  if (Number.isNaN(date.getTime())) return String(since);
  return `${date.toISOString().slice(0, -5)}.${fraction}Z`;
}

function dateText(days: number): string {
  const date = new Date(days * dayMs);
  return Number.isNaN(date.getTime()) ? String(days) : date.toISOString().slice(0, -14);
}

function withoutZone(time: unknown): unknown {
  return typeof time === "string" ? time.replace(/Z$/, "") : time;
}
