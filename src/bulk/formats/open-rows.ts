// Opens an input in the given format, or in that of its file extension.

import type { RecordType } from "../../domain/record-type.ts";
import { OperatorError } from "../../actions/operator-error.ts";
import { plainName } from "./compression.ts";
import { openCsv } from "./csv-rows.ts";
import { openJson, openNdjson } from "./json-rows.ts";
import { openParquet } from "./parquet-rows.ts";
import type { InputFormat, RowInput } from "./row.ts";
import type { TextInput } from "./text-input.ts";

const endings: Readonly<Record<string, InputFormat>> = {
  csv: "csv",
  tsv: "csv",
  txt: "csv",
  ndjson: "ndjson",
  jsonl: "ndjson",
  json: "json",
  parquet: "parquet",
};

/** Throws OperatorError for an unknown extension. */
export function formatOfName(path: string): InputFormat {
  const ending = /\.([^./\\]+)$/.exec(plainName(path))?.[1]?.toLowerCase() ?? "";
  const format = Object.hasOwn(endings, ending) ? endings[ending] : undefined;
  if (format !== undefined) return format;
  throw new OperatorError(
    "input",
    `The name ${path} does not tell the format; give --format csv, ndjson, json or parquet.`,
  );
}

export interface OpenOptions {
  /** What the rows are to become. */
  readonly type: RecordType;
  /** By the name of the file if undefined, and so the delimiter of CSV. */
  readonly format: InputFormat | undefined;
  readonly delimiter: string | undefined;
}

export function openRows(
  input: TextInput,
  { type, format, delimiter }: OpenOptions,
): Promise<RowInput> {
  const known = format ?? formatOfName(input.path);
  if (known === "ndjson") return Promise.resolve(openNdjson(input));
  if (known === "json") return Promise.resolve(openJson(input));
  if (known === "parquet") return openParquet(input, type);
  return openCsv(input, delimiter ?? defaultDelimiter(input.path));
}

export function defaultDelimiter(path: string): string {
  return plainName(path).toLowerCase().endsWith(".tsv") ? "\t" : ",";
}
