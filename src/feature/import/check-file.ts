// Checks every row of an input as an import would, and counts the errors by kind. Sends nothing.

import type { FieldError } from "../../domain/error.ts";
import type { Payload } from "../../domain/record-type.ts";
import { validatePayload } from "../../domain/validation/validate.ts";
import { describeDetected } from "../csv/layout.ts";
import { rowsOf } from "../csv/row.ts";
import { openText } from "../csv/text-input.ts";
import type { ImportPlan, ImportTools } from "./import-file.ts";
import { listNames } from "./map/column-names.ts";
import { makeRowMapper, type MappedRow } from "./map/map-row.ts";
import { formatCount } from "../../basics/format-count.ts";

interface CheckedRow {
  readonly row: number;
  /** Undefined for an item of a JSON list and for a row of Parquet. */
  readonly line: number | undefined;
  readonly records: readonly Payload[];
  readonly errors: readonly FieldError[];
}

interface Fault {
  /** Has a value only if it is the same in all of these rows. */
  error: string;
  rows: number;
  /** Lines of the file, or rows if it has none. */
  readonly first: number[];
}

export type FileCheck = Awaited<ReturnType<typeof checkFile>>;

interface CheckOptions {
  readonly shownMax: number;
  /** Called after each row. */
  readonly onStep?: ImportTools["onStep"];
}

const firstMax = 5;
const faultsMax = 200;
const others = "other errors";

export async function checkFile(
  file: string,
  plan: ImportPlan,
  { shownMax, onStep }: CheckOptions,
) {
  const text = openText(file);
  const input = await plan.openRows(text, plan);
  const mapper = makeRowMapper(input, plan);
  const faults = new Map<string, Fault>();
  const shown: CheckedRow[] = [];
  let [rows, refused] = [0, 0];
  for await (const row of rowsOf(input, mapper.used)) {
    const { number, line } = row;
    const checked = { row: number, line, ...checkRow(plan, mapper.map(row)) };
    if (shown.length < shownMax) shown.push(checked);
    rows += 1;
    refused += checked.errors.length > 0 ? 1 : 0;
    for (const [kind, error] of new Map(checked.errors.map((one) => [kindOf(one), textOf(one)]))) {
      const listedKind = faults.has(kind) || faults.size < faultsMax ? kind : others;
      const said = listedKind === kind ? error : others;
      const fault = faults.get(listedKind) ?? { error: said, rows: 0, first: [] };
      faults.set(listedKind, fault);
      if (error !== fault.error) fault.error = listedKind;
      fault.rows += 1;
      if (fault.first.length < firstMax) fault.first.push(line ?? number);
    }
    const share = text.bytesRead() / text.bytes;
    onStep?.({ rows, written: 0, unchanged: 0, refused, share });
  }
  const { detected = {}, ignoredLines } = input;
  return {
    file,
    detected,
    unused: mapper.unused,
    shown,
    rows,
    refused,
    ignoredLines: ignoredLines?.() ?? 0,
    places: input.format === "csv" || input.format === "ndjson" ? ("line" as const) : "row",
    faults: [...faults.values()].sort((one, other) => other.rows - one.rows),
  };
}

export function checkRow(
  { type, timestampMin }: Pick<ImportPlan, "type" | "timestampMin">,
  mapped: MappedRow,
): Pick<CheckedRow, "records" | "errors"> {
  if ("fieldErrors" in mapped) return { records: [], errors: mapped.fieldErrors };
  const { submissions } = mapped;
  return {
    records: submissions.map(({ payload }) => payload),
    errors: submissions.flatMap(({ update, payload }) =>
      validatePayload(type, update ? "update" : "add", payload, { now: Date.now(), timestampMin }),
    ),
  };
}

/** Without the number of the line, which is said beside it. */
function textOf({ field = "", message = "" }: FieldError): string {
  return `${field} ${message.replace(/, in line \d+ of the file/, "")}`.trim();
}

/** Values and positions in lists differ from row to row. */
function kindOf({ field = "", message = "" }: FieldError): string {
  const what = message.replaceAll(/"(?:[^"\\]|\\.)*"/g, '"…"');
  return textOf({ field: field.replaceAll(/\[\d+\]/g, "[]"), message: what });
}

export function describeCheck(check: FileCheck): string {
  const { file, unused, shown, rows, refused } = check;
  const parts = shown.map(({ row, line, records, errors }) => {
    const texts = records.map((record) => JSON.stringify(record, undefined, 2));
    const found = errors.map(({ field, message }) =>
      ["  !", field, message].filter((part) => part !== undefined).join(" "),
    );
    const where = line === undefined ? "" : `, line ${line}`;
    return [`Row ${row}${where}`, ...texts, ...found].join("\n");
  });
  if (unused.length > 0) parts.push(`Columns that are not imported: ${listNames(unused)}`);
  const verdict =
    refused === 0
      ? "no row fails validation; the server may still refuse duplicates"
      : `${refused.toLocaleString("en")} ${refused === 1 ? "fails" : "fail"} validation`;
  const summary = `${file}: ${formatCount(rows, "row")} read, ${verdict}. Nothing was sent.`;
  const faults = check.faults.map((fault) => describeFault(fault, check.places));
  parts.push([...describeReading(check), summary, ...faults].join("\n"));
  return parts.join("\n\n");
}

function describeFault({ error, rows, first }: Fault, place: string): string {
  const more = rows > first.length ? " and more" : "";
  return `  ${rows.toLocaleString("en")} × ${error} (${place} ${first.join(", ")}${more})`;
}

type Reading = Pick<FileCheck, "file" | "detected" | "rows" | "ignoredLines">;

export function describeReading(reading: Reading): readonly string[] {
  const { file, detected, rows, ignoredLines } = reading;
  const found = describeDetected(detected);
  const lines = found === "" ? [] : [`${file} ${found}`];
  if (rows === 0) lines.push(`${file} has no rows, so there is nothing to import.`);
  if (ignoredLines === 0) return lines;
  const count = ignoredLines.toLocaleString("en");
  return [
    ...lines,
    `${file}: lines ignored as comments, as delimiters only, or after the last row: ${count}.`,
  ];
}
