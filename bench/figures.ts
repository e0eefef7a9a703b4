// Computes medians, spread and ratios from the rounds, and prints them as a table. Includes every round, outliers too.

import type { Comparison, Round } from "./compare.ts";
import { type SubjectName, subjectNames } from "./subjects.ts";

export interface Figures {
  /** Acknowledged records (or checks) per second: median, lowest and highest round. */
  readonly perSecond: number;
  readonly perSecondMin: number;
  readonly perSecondMax: number;
  /** Medians over the rounds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Microseconds of processor time per request. */
  readonly serverCpuUs: number;
  readonly generatorCpuUs: number;
}

export interface Summary {
  readonly operation: string;
  readonly floor: Figures;
  readonly product: Figures;
  /** Product to floor: the ratio of the medians, and the median of the ratios of neighbouring rounds. */
  readonly ratioOfMedians: number;
  readonly medianOfRatios: number;
  readonly cpuRatio: number;
}

export function summarise({ operation, rounds }: Comparison): Summary {
  const [floor, product] = [figuresOf(rounds.floor), figuresOf(rounds.product)];
  const ratios = rounds.product.map((round, index) => {
    const beside = rounds.floor[index];
    return beside === undefined ? Number.NaN : rate(round) / rate(beside);
  });
  return {
    operation,
    floor,
    product,
    ratioOfMedians: product.perSecond / floor.perSecond,
    medianOfRatios: median(ratios),
    cpuRatio: product.serverCpuUs / floor.serverCpuUs,
  };
}

function figuresOf(rounds: readonly Round[]): Figures {
  const rates = rounds.map(rate);
  return {
    perSecond: median(rates),
    perSecondMin: Math.min(...rates),
    perSecondMax: Math.max(...rates),
    p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
    serverCpuUs: median(rounds.map((round) => (round.serverCpuSeconds * 1e6) / round.requests)),
    generatorCpuUs: median(rounds.map((round) => (round.cpuSeconds * 1e6) / round.requests)),
  };
}

function rate({ rows, seconds }: Round): number {
  return rows / seconds;
}

/** The middle value, or the mean of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

const header = [
  "operation",
  "server",
  "records/s",
  "spread",
  "p50 ms",
  "p99 ms",
  "server CPU µs/request",
  "generator CPU",
];

/** Rates are in records per second (checks per second for `check`); processor time is per request. */
export function renderTable(summaries: readonly Summary[]): string {
  const rows = summaries.flatMap((summary) => [
    ...subjectNames.map((name) => figuresRow(summary.operation, name, summary[name])),
    ratioRow(summary),
  ]);
  const widths = header.map((title, column) =>
    Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0), title.length),
  );
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, column) => pad(row[column] ?? "", width, column)).join(" | ")} |`;
  const rule = `|${widths.map((width, column) => (column < 2 ? `:${"-".repeat(width + 1)}` : `${"-".repeat(width + 1)}:`)).join("|")}|`;
  return [line(header), rule, ...rows.map(line)].join("\n");
}

function figuresRow(operation: string, name: SubjectName, figures: Figures): string[] {
  return [
    operation,
    name,
    whole(figures.perSecond),
    `${whole(figures.perSecondMin)} to ${whole(figures.perSecondMax)}`,
    figures.p50Ms.toFixed(2),
    figures.p99Ms.toFixed(2),
    figures.serverCpuUs.toFixed(1),
    figures.generatorCpuUs.toFixed(1),
  ];
}

function ratioRow({ operation, ratioOfMedians, medianOfRatios, cpuRatio }: Summary): string[] {
  const pairs = `pairs: ${medianOfRatios.toFixed(2)}`;
  return [operation, "ratio", ratioOfMedians.toFixed(2), pairs, "", "", cpuRatio.toFixed(2), ""];
}

function pad(text: string, width: number, column: number): string {
  return column < 2 ? text.padEnd(width) : text.padStart(width);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}
