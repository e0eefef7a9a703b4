// The end of the demonstration: a table of what happened and how fast, for people or as JSON.

import { type Column, renderTable } from "../table.ts";
import type { StepFigures } from "./meter.ts";

export interface DemoReport {
  readonly origin: string;
  readonly steps: readonly StepFigures[];
  readonly deletionMs: readonly number[];
  /** Where the store was kept, if it was. */
  readonly kept: string | undefined;
}

const columns: readonly Column<StepFigures>[] = [
  { title: "step", cell: ({ name }) => name },
  { title: "requests", right: true, cell: ({ requests }) => String(requests) },
  { title: "records", right: true, cell: ({ records }) => String(records) },
  { title: "seconds", right: true, cell: ({ seconds }) => seconds.toFixed(2) },
  { title: "records/s", right: true, cell: (step) => String(perSecond(step)) },
  { title: "median ms", right: true, cell: ({ medianMs }) => medianMs.toFixed(1) },
  { title: "99% ms", right: true, cell: ({ p99Ms }) => p99Ms.toFixed(1) },
];

export function describeReport({ origin, steps, deletionMs, kept }: DemoReport): string {
  const lines = [
    renderTable(columns, steps),
    "",
    `Records: ${origin}. The server ran in a process of its own; median and 99% are request times seen by the client.`,
    `Each of ${deletionMs.length} deletions also erased a check, an alert and a suspicious activity, and was completed ` +
      `within ${formatSeconds(Math.max(...deletionMs))}.`,
  ];
  const waits = countWaits(steps);
  if (waits > 0)
    lines.push(
      `The server answered 429 ${waits} times; every retry after its Retry-After succeeded.`,
    );
  lines.push("Every reply was correct.");
  if (kept !== undefined) {
    lines.push(
      "",
      `The store was kept. To serve it: DATABASE_URL=sqlite:${kept}/sluice.db DATA_DIR=${kept} sluice serve`,
    );
  }
  return lines.join("\n");
}

export function viewReport({ origin, steps, deletionMs, kept }: DemoReport) {
  return {
    ok: true,
    origin,
    steps: steps.map((step) => ({
      step: step.name,
      requests: step.requests,
      records: step.records,
      seconds: rounded(step.seconds),
      records_per_second: perSecond(step),
      median_ms: rounded(step.medianMs),
      p99_ms: rounded(step.p99Ms),
      waits: step.waits,
    })),
    deletions_completed: deletionMs.length,
    deletion_seconds_max: rounded(Math.max(...deletionMs) / 1_000),
    waits: countWaits(steps),
    kept: kept ?? null,
  };
}

function countWaits(steps: readonly StepFigures[]): number {
  return steps.reduce((sum, { waits }) => sum + waits, 0);
}

function perSecond({ records, seconds }: StepFigures): number {
  return seconds > 0 ? Math.round(records / seconds) : 0;
}

function formatSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}

function rounded(value: number): number {
  return Number(value.toFixed(3));
}
