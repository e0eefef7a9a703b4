// The report of an import: the counts of rows per file, as text or as JSON.

import { formatSeconds } from "./bulk-progress.ts";
import { type Column, renderTable } from "./table.ts";
import type { FileReport } from "../../bulk/import/import-file.ts";

const columns: readonly Column<FileReport>[] = [
  { title: "file", cell: ({ file }) => file },
  { title: "rows", right: true, cell: ({ rows }) => count(rows) },
  { title: "written", right: true, cell: ({ written }) => count(written) },
  { title: "unchanged", right: true, cell: ({ unchanged }) => count(unchanged) },
  { title: "refused", right: true, cell: ({ refused }) => count(refused) },
  { title: "rows/s", right: true, cell: (report) => count(rate(report)) },
];

export function describeReports(reports: readonly FileReport[]): string {
  const seconds = reports.reduce((sum, report) => sum + report.seconds, 0);
  const lines = [renderTable(columns, reports), "", `Took ${formatSeconds(seconds)}.`];
  for (const { file, rowsBefore } of reports) {
    if (rowsBefore > 0) {
      lines.push(`${file} was continued after ${count(rowsBefore)} rows of an earlier run.`);
    }
  }
  for (const { refused, refusedFile } of reports) {
    if (refusedFile === undefined) continue;
    const rows = refused === 1 ? "1 refused row is" : `${count(refused)} refused rows are`;
    lines.push(
      `${rows} in ${refusedFile}, with the reason. Correct them there and import that file.`,
    );
  }
  return lines.join("\n");
}

export function viewReports(reports: readonly FileReport[]) {
  return {
    files: reports.map((report) => ({
      file: report.file,
      rows: report.rows,
      written: report.written,
      unchanged: report.unchanged,
      refused: report.refused,
      refused_file: report.refusedFile ?? null,
      rows_before: report.rowsBefore,
      seconds: Number(report.seconds.toFixed(3)),
      rows_per_second: rate(report),
    })),
  };
}

/** Rows per second in this run. */
function rate({ rows, rowsBefore, seconds }: FileReport): number {
  return seconds > 0 ? Math.round((rows - rowsBefore) / seconds) : 0;
}

function count(value: number): string {
  return value.toLocaleString("en");
}
