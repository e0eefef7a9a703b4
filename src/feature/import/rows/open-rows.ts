// Opens an input of text in the given format, or in the format of its name's ending.

import type { RecordType } from "../../../domain/record-type.ts";
import { openCsv } from "../../csv/csv-rows.ts";
import { formatOfName, parquetRefused } from "./input-format.ts";
import type { Layout } from "../../csv/layout.ts";
import { openJson, openNdjson } from "./json-rows.ts";
import type { InputFormat, RowInput } from "../../csv/row.ts";
import type { TextInput } from "../../csv/text-input.ts";

export interface OpenOptions {
  readonly type: RecordType;
  readonly format: InputFormat | undefined;
  readonly layout: Layout;
}

export type OpenRows = (input: TextInput, options: OpenOptions) => Promise<RowInput>;

/** Does not open Parquet (parquet-rows.ts). */
export const openRows: OpenRows = async (input, { format, layout }) => {
  const known = format ?? formatOfName(input.path);
  if (known === "ndjson") return openNdjson(input);
  if (known === "json") return openJson(input, layout.list);
  if (known === "parquet") throw parquetRefused(input.path);
  return openCsv(input, layout);
};
