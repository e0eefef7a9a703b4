// Computes medians, spread and ratios from the rounds, and prints them as a table. Includes every round, outliers too.

import { median } from "../test/support/median.ts";
import type { Comparison, Round } from "./compare.ts";
import { type SubjectName, subjectNames } from "./subjects.ts";

const perRequest = (amount: number, { requests }: Round): number => amount / requests;
const microseconds = (seconds: number, round: Round): number => perRequest(seconds * 1e6, round);

/** Each figure of a round. Rates are acknowledged records (or checks) per second. */
const figureOf = {
  perSecond: ({ rows, seconds }: Round) => rows / seconds,
  p50Ms: ({ p50Ms }: Round) => p50Ms,
  p99Ms: ({ p99Ms }: Round) => p99Ms,
  p999Ms: ({ p999Ms }: Round) => p999Ms,
  serverCpuUs: (round: Round) => microseconds(round.serverCpuSeconds, round),
  databaseCpuUs: (round: Round) => microseconds(round.databaseCpuSeconds, round),
  statements: (round: Round) => perRequest(round.statements, round),
  generatorCpuUs: (round: Round) => microseconds(round.cpuSeconds, round),
};
type FigureName = keyof typeof figureOf;
export type Figures = Readonly<Record<FigureName, number>>;

export interface Summary {
  readonly operation: string;
  /** Medians over the rounds. */
  readonly floor: Figures;
  readonly product: Figures;
  /** Product to floor: the medians of the ratios of neighbouring rounds. */
  readonly ratios: Figures;
  /** The lowest and the highest rate of each. */
  readonly spread: Readonly<Record<SubjectName, readonly [number, number]>>;
}

export function summarise({ operation, rounds }: Comparison): Summary {
  const { floor, product } = rounds;
  return {
    operation,
    floor: figuresOf((figure) => floor.map(figure)),
    product: figuresOf((figure) => product.map(figure)),
    ratios: figuresOf((figure) =>
      product.map((round, index) => {
        const beside = floor[index];
        return beside === undefined ? Number.NaN : figure(round) / figure(beside);
      }),
    ),
    spread: { floor: spreadOf(floor), product: spreadOf(product) },
  };
}

function spreadOf(rounds: readonly Round[]): readonly [number, number] {
  const rates = rounds.map(figureOf.perSecond);
  return [Math.min(...rates), Math.max(...rates)];
}

function figuresOf(values: (figure: (round: Round) => number) => readonly number[]): Figures {
  const medians = Object.entries(figureOf).map(([name, figure]) => [name, median(values(figure))]);
  return Object.fromEntries(medians) as Figures;
}

const columns: readonly (readonly [title: string, figure: FigureName, digits: number])[] = [
  ["records/s", "perSecond", 0],
  ["p50 ms", "p50Ms", 2],
  ["p99 ms", "p99Ms", 2],
  ["p99.9 ms", "p999Ms", 2],
  ["server CPU µs/request", "serverCpuUs", 1],
  ["database CPU", "databaseCpuUs", 1],
  ["statements", "statements", 3],
  ["generator CPU", "generatorCpuUs", 1],
];

/** Rates are in records per second (checks per second for `check`); processor time and statements are per request. */
export function renderTable(summaries: readonly Summary[]): string {
  const used = columns.filter(([, figure]) => summaries.some((one) => one.product[figure] > 0));
  const header = ["operation", "server", ...used.map(([title]) => title), "spread of rates"];
  const rows = summaries.flatMap(({ operation, ratios, spread, ...summary }) => [
    ...subjectNames.map((name) => [
      operation,
      name,
      ...used.map(([, figure, digits]) => format(summary[name][figure], digits)),
      spread[name].map((rate) => format(rate, 0)).join(" to "),
    ]),
    [operation, "ratio", ...used.map(([, figure]) => format(ratios[figure], 2)), ""],
  ]);
  return renderRows(header, rows);
}

function renderRows(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, column) => pad(row[column] ?? "", width, column)).join(" | ")} |`;
  const rule = `|${widths.map((width, column) => (column < 2 ? `:${"-".repeat(width + 1)}` : `${"-".repeat(width + 1)}:`)).join("|")}|`;
  return [line(header), rule, ...rows.map(line)].join("\n");
}

function pad(text: string, width: number, column: number): string {
  return column < 2 ? text.padEnd(width) : text.padStart(width);
}

function format(value: number, digits: number): string {
  return value.toLocaleString("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
