// The result of the demonstration: what each step sent and how fast, as JSON or as a table.

import { type Column, renderTable } from "../output/table.ts";

export interface StepFigures {
  readonly name: string;
  readonly records: number;
  readonly seconds: number;
  /** Of each request. */
  readonly requestMs: readonly number[];
  /** Replies of 429. */
  readonly waits: number;
}

export interface DemoReport {
  readonly origin: string;
  readonly steps: readonly StepFigures[];
  readonly deletionMs: readonly number[];
  /** The folder of the store, if it is kept. */
  readonly kept: string | undefined;
}

export function viewReport({ origin, steps, deletionMs, kept }: DemoReport) {
  return {
    ok: true,
    origin,
    steps: steps.map(viewStep),
    deletions_completed: deletionMs.length,
    deletion_seconds_max: rounded(Math.max(...deletionMs) / 1_000),
    waits: steps.reduce((sum, { waits }) => sum + waits, 0),
    kept: kept ?? null,
  };
}

function viewStep({ name, records, seconds, requestMs, waits }: StepFigures) {
  const sorted = requestMs.toSorted((one, other) => one - other);
  const quantile = (share: number): number =>
    rounded(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0);
  return {
    step: name,
    requests: requestMs.length,
    records,
    seconds: rounded(seconds),
    records_per_second: seconds > 0 ? Math.round(records / seconds) : 0,
    median_ms: quantile(0.5),
    p99_ms: quantile(0.99),
    waits,
  };
}

type StepView = ReturnType<typeof viewStep>;

const columns: readonly Column<StepView>[] = [
  { title: "step", cell: ({ step }) => step },
  { title: "requests", right: true, cell: ({ requests }) => String(requests) },
  { title: "records", right: true, cell: ({ records }) => String(records) },
  { title: "seconds", right: true, cell: ({ seconds }) => seconds.toFixed(2) },
  { title: "records/s", right: true, cell: (step) => String(step.records_per_second) },
  { title: "median ms", right: true, cell: (step) => step.median_ms.toFixed(1) },
  { title: "99% ms", right: true, cell: (step) => step.p99_ms.toFixed(1) },
];

export function describeReport(report: DemoReport): string {
  const { origin, steps, deletions_completed, deletion_seconds_max, waits, kept } =
    viewReport(report);
  const lines = [
    renderTable(columns, steps),
    "",
    `Records: ${origin}. The server ran in the same process; median and 99% are request times seen by the client.`,
    `Each of ${deletions_completed} deletions also erased a check and an alert, and was completed ` +
      `within ${deletion_seconds_max.toFixed(2)} s.`,
  ];
  if (waits > 0) {
    lines.push(
      `The server answered 429 ${waits} times; every retry after its Retry-After succeeded.`,
    );
  }
  lines.push("Every reply was correct.");
  if (kept !== null) {
    const settings = `DATABASE_URL=sqlite:${kept}/sluice.db DATA_DIR=${kept}`;
    lines.push("", `The store was kept. To serve it: ${settings} sluice serve`);
  }
  return lines.join("\n");
}

function rounded(value: number): number {
  return Number(value.toFixed(3));
}
