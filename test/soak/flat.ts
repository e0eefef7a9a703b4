// Whether the figures of a soak stay flat: those of its last third against those of its first.

import { median } from "../support/median.ts";

export interface SoakRow {
  readonly residentBytes: number;
  /** SQLite's file with its WAL, or the database. */
  readonly storeBytes: number;
  readonly walBytes: number;
  readonly p99Ms: number;
}

interface Rule {
  readonly name: string;
  readonly figure: (row: SoakRow) => number;
  readonly unit: string;
  /** How much the figure may grow, and by how much at least. */
  readonly factor: number;
  readonly slack: number;
}

const megabyte = 1e6;
/** The first minute compiles code and fills caches. */
const rowsOfWarmUp = 1;
const rowsOfThirdMin = 2;

const rules: readonly Rule[] = [
  {
    name: "resident memory",
    figure: ({ residentBytes }) => residentBytes / megabyte,
    unit: "MB",
    factor: 1.15,
    slack: 32,
  },
  { name: "WAL", figure: ({ walBytes }) => walBytes / megabyte, unit: "MB", factor: 1.3, slack: 0 },
  { name: "p99", figure: ({ p99Ms }) => p99Ms, unit: "ms", factor: 1.5, slack: 10 },
];

export interface Verdict {
  readonly lines: readonly string[];
  /** The lines on figures that are not flat. */
  readonly findings: readonly string[];
}

/** `walBytesUsual`: a WAL below this is what the engine is configured to have, however it got there. */
export function evaluateSoak(rows: readonly SoakRow[], walBytesUsual: number): Verdict {
  const measured = rows.slice(rowsOfWarmUp);
  const third = Math.floor(measured.length / 3);
  if (third < rowsOfThirdMin) return { lines: ["too short to compare its thirds"], findings: [] };
  const [lines, findings]: [string[], string[]] = [[], []];
  for (const { name, figure, unit, factor, slack } of rules) {
    const first = median(measured.slice(0, third).map(figure));
    const last = median(measured.slice(-third).map(figure));
    const usual = name === "WAL" ? walBytesUsual / megabyte : 0;
    const isFlat = last <= Math.max(first * factor, first + slack, usual);
    const line = `${name}: ${first.toFixed(1)} ${unit} in the first third, ${last.toFixed(1)} in the last`;
    lines.push(`${line}: ${isFlat ? "flat" : "not flat"}`);
    if (!isFlat) findings.push(`not flat: ${line}`);
  }
  return { lines, findings };
}
