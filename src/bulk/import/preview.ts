// Shows the first rows of an input as the records that an import would send, with their validation errors. Sends
// nothing.

import type { FieldError } from "../../domain/error.ts";
import type { Payload } from "../../domain/record-type.ts";
import { validatePayload } from "../../domain/validation/validate.ts";
import type { ImportPlan } from "./import-file.ts";
import { makeRowMapper, type MappedRow } from "./map-row.ts";
import { describeDetected, type Layout } from "../formats/layout.ts";
import { rowsOf } from "../formats/row.ts";
import { openText } from "../formats/text-input.ts";

interface PreviewedRow {
  readonly row: number;
  /** Several for a state that is sent as its changes. */
  readonly records: readonly Payload[];
  readonly errors: readonly FieldError[];
}

export interface Preview {
  readonly file: string;
  readonly detected: Layout;
  /** The columns that are not imported. */
  readonly unused: readonly string[];
  readonly rows: readonly PreviewedRow[];
}

export async function previewFile(
  file: string,
  plan: ImportPlan,
  rowsMax: number,
): Promise<Preview> {
  const input = await plan.openRows(openText(file), plan);
  const mapper = makeRowMapper(input, plan);
  const rows: PreviewedRow[] = [];
  for await (const row of rowsOf(input, mapper.used)) {
    rows.push({ row: row.number, ...previewRow(plan, mapper.map(row)) });
    if (rows.length >= rowsMax) break;
  }
  return { file, detected: input.detected ?? {}, unused: mapper.unused, rows };
}

export function previewRow(
  { type, timestampMin }: Pick<ImportPlan, "type" | "timestampMin">,
  mapped: MappedRow,
): Omit<PreviewedRow, "row"> {
  if ("fieldErrors" in mapped) return { records: [], errors: mapped.fieldErrors };
  const { submissions } = mapped;
  return {
    records: submissions.map(({ payload }) => payload),
    errors: submissions.flatMap(({ update, payload }) =>
      validatePayload(type, update ? "update" : "add", payload, { now: Date.now(), timestampMin }),
    ),
  };
}

export function describePreview({ file, detected, unused, rows }: Preview): string {
  const found = describeDetected(detected);
  const parts = found === "" ? [] : [`${file} ${found}`];
  parts.push(
    ...rows.map(({ row, records, errors }) => {
      const shown = records.map((record) => JSON.stringify(record, undefined, 2));
      const fieldErrors = errors.map(({ field, message }) =>
        `  ! ${field ?? ""} ${message ?? ""}`.trimEnd(),
      );
      return [`Row ${row}`, ...shown, ...fieldErrors].join("\n");
    }),
  );
  if (unused.length > 0) parts.push(`Columns that are not imported: ${unused.join(", ")}`);
  const wrong = rows.filter(({ errors }) => errors.length > 0).length;
  const verdict =
    wrong === 0
      ? "no row fails validation; the server may still refuse duplicates"
      : `${wrong} ${wrong === 1 ? "fails" : "fail"} validation`;
  parts.push(`${file}: ${rows.length} rows read, ${verdict}. Nothing was sent.`);
  return parts.join("\n\n");
}
