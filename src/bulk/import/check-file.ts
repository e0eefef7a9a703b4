// Checks every row of an input as an import would, and counts the errors by kind. Sends nothing.

import type { FieldError } from "../../domain/error.ts";
import { describeDetected, type Layout } from "../formats/layout.ts";
import { rowsOf } from "../formats/row.ts";
import { openText } from "../formats/text-input.ts";
import type { ImportPlan } from "./import-file.ts";
import { makeRowMapper } from "./map-row.ts";
import { previewRow } from "./preview.ts";

interface Fault {
  /** The field and what is wrong with it, without the value. */
  readonly error: string;
  readonly rows: number;
  /** The numbers of the first rows with it. */
  readonly first: readonly number[];
}

export interface FileCheck {
  readonly file: string;
  readonly detected: Layout;
  readonly rows: number;
  /** Rows that an import would refuse. */
  readonly refused: number;
  /** The most frequent ones first. */
  readonly faults: readonly Fault[];
}

const firstMax = 5;
const faultsMax = 200;
const others = "other errors";

export async function checkFile(file: string, plan: ImportPlan): Promise<FileCheck> {
  const input = await plan.openRows(openText(file), plan);
  const mapper = makeRowMapper(input, plan);
  const faults = new Map<string, { rows: number; first: number[] }>();
  let [rows, refused] = [0, 0];
  for await (const row of rowsOf(input, mapper.used)) {
    const { errors } = previewRow(plan, mapper.map(row));
    rows += 1;
    refused += errors.length > 0 ? 1 : 0;
    for (const kind of new Set(errors.map(kindOf))) {
      const known = faults.has(kind) || faults.size < faultsMax ? kind : others;
      const fault = faults.get(known) ?? { rows: 0, first: [] };
      faults.set(known, fault);
      fault.rows += 1;
      if (fault.first.length < firstMax) fault.first.push(row.number);
    }
  }
  const sorted = [...faults].map(([error, fault]) => ({ error, ...fault }));
  sorted.sort((one, other) => other.rows - one.rows);
  return { file, detected: input.detected ?? {}, rows, refused, faults: sorted };
}

/** Values, positions in lists and numbers of lines differ from row to row. */
function kindOf({ field = "", message = "" }: FieldError): string {
  const path = field.replaceAll(/\[\d+\]/g, "[]");
  const what = message.replaceAll(/"(?:[^"\\]|\\.)*"/g, '"…"').replaceAll(/\bline \d+/g, "line …");
  return `${path} ${what}`.trim();
}

export function describeCheck({ file, detected, rows, refused, faults }: FileCheck): string {
  const found = describeDetected(detected);
  const lines = faults.map(({ error, rows: count, first }) => {
    const more = count > first.length ? " and more" : "";
    return `  ${count.toLocaleString("en")} × ${error} (row ${first.join(", ")}${more})`;
  });
  const verdict =
    refused === 0
      ? "no row fails validation; the server may still refuse duplicates"
      : `${refused.toLocaleString("en")} ${refused === 1 ? "fails" : "fail"} validation`;
  return [
    ...(found === "" ? [] : [`${file} ${found}`]),
    `${file}: ${rows.toLocaleString("en")} rows read, ${verdict}. Nothing was sent.`,
    ...lines,
  ].join("\n");
}
