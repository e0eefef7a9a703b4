// Opens an input in the given format, or in that of the ending of its name.

import type { RecordType } from "../../domain/record-type.ts";
import { OperatorError } from "../../actions/operator-error.ts";
import { formatByEnding, plainName } from "./compression.ts";
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

/** Throws OperatorError for an unknown ending. */
export function formatOfName(path: string): InputFormat {
  const format = formatByEnding(path, endings);
  if (format !== undefined) return format;
  throw new OperatorError(
    "input",
    `The name ${path} does not say what format the file has; give --format csv, ndjson, json or parquet.`,
  );
}

export interface OpenOptions {
  /** The type of the records to make from the rows. */
  readonly type: RecordType;
  /** Undefined: by the name of the file, as for the delimiter of CSV. */
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
