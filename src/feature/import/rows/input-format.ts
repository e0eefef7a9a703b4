// The format of an input by its name. Loads no code of a format.

import { OperatorError } from "../../../actions/operator/operator-error.ts";
import { formatByEnding } from "../../../bulk/formats/compression.ts";
import type { InputFormat } from "../../csv/row.ts";
import { sluice } from "../../../basics/program-name.ts";
import { inputError } from "../../csv/input-error.ts";

const endings: Readonly<Record<string, InputFormat>> = {
  csv: "csv",
  tsv: "csv",
  txt: "csv",
  ndjson: "ndjson",
  jsonl: "ndjson",
  json: "json",
  parquet: "parquet",
};

const byOption = "give --format csv, ndjson, json or parquet";

/** Throws OperatorError for an unknown ending, with what to do about it. */
export function formatOfName(path: string, advice = byOption): InputFormat {
  const format = formatByEnding(path, endings);
  if (format !== undefined) return format;
  throw inputError(`The name ${path} does not say what format the file has; ${advice}.`);
}

/** Only a command that its own user has started reads Parquet. */
export function parquetRefused(path: string): OperatorError {
  return inputError(
    `${path} is Parquet, which can't be uploaded. Run ${sluice} import ${path} on the server, or over HTTP with --url, or ` +
      "convert the file to CSV or NDJSON.",
  );
}
