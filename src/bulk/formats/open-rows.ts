// Opens an input of text in the given format, or in the format of its name's ending.

import type { RecordType } from "../../domain/record-type.ts";
import { plainName } from "./compression.ts";
import { openCsv } from "./csv-rows.ts";
import { formatOfName, parquetRefused } from "./input-format.ts";
import { openJson, openNdjson } from "./json-rows.ts";
import type { InputFormat, RowInput } from "./row.ts";
import type { TextInput } from "./text-input.ts";

export interface OpenOptions {
  /** The type of the records to make from the rows. */
  readonly type: RecordType;
  /** If it is undefined, the name of the file determines it, and also the delimiter of CSV. */
  readonly format: InputFormat | undefined;
  readonly delimiter: string | undefined;
}

/** Throws OperatorError. */
export type OpenRows = (input: TextInput, options: OpenOptions) => Promise<RowInput>;

/** Does not open Parquet (parquet-rows.ts). */
export const openRows: OpenRows = async (input, { format, delimiter }) => {
  const known = format ?? formatOfName(input.path);
  if (known === "ndjson") return openNdjson(input);
  if (known === "json") return openJson(input);
  if (known === "parquet") throw parquetRefused(input.path);
  return openCsv(input, delimiter ?? defaultDelimiter(input.path));
};

export function defaultDelimiter(path: string): string {
  return plainName(path).toLowerCase().endsWith(".tsv") ? "\t" : ",";
}
