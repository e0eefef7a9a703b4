// What a soak measures in each minute, and whether it stays flat: the figures of its last third against those of its
// first. No figure but the latency depends on how busy the machine is.

import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Site } from "../abuse/site.ts";
import { median } from "../support/median.ts";
import { readMemory } from "../support/process-memory.ts";

export const megabyte = 1e6;
const samplesOfRow = 12;

export interface SoakRow {
  readonly residentBytes: number;
  /** SQLite's file, or the database. */
  readonly storeBytes: number;
  readonly walBytes: number;
  readonly p99Ms: number;
  /** Without the connections of clients, which open more when replies take longer. */
  readonly openFiles: number;
  /** Deletions that are not completed. */
  readonly openDeletions: number;
  /** Since the start: written records, and the processor time of the server. */
  readonly records: number;
  readonly processorSeconds: number;
}

/** The median of the memory, the largest WAL, and the last of all others. */
export async function sample(site: Site, rowMs: number): Promise<Omit<SoakRow, "p99Ms">> {
  const samples: Pick<SoakRow, "residentBytes" | "storeBytes" | "walBytes">[] = [];
  for (let count = 0; count < samplesOfRow; count += 1) {
    await sleep(rowMs / samplesOfRow);
    const residentBytes = readMemory(site.pid).residentBytes ?? Number.NaN;
    samples.push({ residentBytes, ...(await readSizes(site)) });
  }
  return {
    residentBytes: median(samples.map(({ residentBytes }) => residentBytes)),
    storeBytes: samples.at(-1)?.storeBytes ?? Number.NaN,
    walBytes: Math.max(...samples.map(({ walBytes }) => walBytes)),
    ...(await readMetrics(site)),
  };
}

async function readMetrics({ server }: Site) {
  const { text } = await server.client.send({ method: "GET", path: "/metrics" });
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^${name} (\\S+)$`, "gm"))].reduce(
      (all, [, value]) => all + Number(value),
      0,
    );
  return {
    openFiles: sum("sluice_process_open_fds") - sum("sluice_connections"),
    openDeletions: sum('sluice_deletions\\{status="(?:pending|processing)"\\}'),
    records: sum("sluice_records_written_total\\{[^}]*\\}"),
    processorSeconds: sum("sluice_process_cpu_seconds_total"),
  };
}

async function readSizes({
  postgres,
  target,
}: Site): Promise<Pick<SoakRow, "storeBytes" | "walBytes">> {
  const url = target.environment["DATABASE_URL"] ?? "";
  if (postgres === undefined) {
    const file = url.slice("sqlite:".length);
    return { storeBytes: bytesOf(file), walBytes: bytesOf(`${file}-wal`) };
  }
  const [sizes] = await postgres.query(
    `SELECT pg_database_size(current_database())::float8 AS store,
       (SELECT sum(size) FROM pg_ls_waldir())::float8 AS wal`,
    url,
  );
  return { storeBytes: Number(sizes?.["store"]), walBytes: Number(sizes?.["wal"]) };
}

function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

interface Rule {
  readonly name: string;
  readonly unit: string;
  /** Of rows that follow one another, and the row before them. */
  readonly figure: (rows: readonly SoakRow[], before: SoakRow) => number;
  /** How much the figure may grow, and by how much at least. */
  readonly factor: number;
  readonly slack: number;
}
/** The first minute compiles code and fills caches. */
const rowsOfWarmUp = 1;
const rowsOfThirdMin = 2;

const usually = (figure: (row: SoakRow) => number) => (rows: readonly SoakRow[]) =>
  median(rows.map(figure));

const forRecord =
  (name: "storeBytes" | "processorSeconds", factor: number) =>
  (rows: readonly SoakRow[], before: SoakRow): number => {
    const last = rows.at(-1) ?? before;
    return ((last[name] - before[name]) * factor) / (last.records - before.records);
  };

const rules: readonly Rule[] = [
  {
    name: "resident memory",
    unit: "MB",
    figure: usually(({ residentBytes }) => residentBytes / megabyte),
    factor: 1.15,
    slack: 32,
  },
  {
    name: "WAL",
    unit: "MB",
    figure: usually(({ walBytes }) => walBytes / megabyte),
    factor: 1.3,
    slack: 0,
  },
  { name: "p99", unit: "ms", figure: usually(({ p99Ms }) => p99Ms), factor: 1.5, slack: 10 },
  {
    name: "open files",
    unit: "files",
    figure: usually(({ openFiles }) => openFiles),
    factor: 1,
    slack: 8,
  },
  {
    name: "open deletions",
    unit: "deletions",
    figure: usually(({ openDeletions }) => openDeletions),
    factor: 1.5,
    slack: 100,
  },
  {
    name: "growth of the store for a record",
    unit: "bytes",
    figure: forRecord("storeBytes", 1),
    factor: 1.3,
    slack: 100,
  },
  {
    name: "processor time for a record",
    unit: "µs",
    figure: forRecord("processorSeconds", 1e6),
    factor: 1.5,
    slack: 0,
  },
];

interface Verdict {
  readonly lines: readonly string[];
  /** The lines on figures that are not flat. */
  readonly findings: readonly string[];
}

/** `walBytesUsual`: a WAL below this is what the engine is configured to have, however it got there. */
export function evaluateSoak(rows: readonly SoakRow[], walBytesUsual: number): Verdict {
  const [before, ...measured] = rows.slice(rowsOfWarmUp - 1);
  const third = Math.floor(measured.length / 3);
  const beforeLast = measured.at(-third - 1);
  if (before === undefined || beforeLast === undefined || third < rowsOfThirdMin)
    return { lines: ["too short to compare its thirds"], findings: [] };
  const [lines, findings]: [string[], string[]] = [[], []];
  for (const { name, figure, unit, factor, slack } of rules) {
    const first = figure(measured.slice(0, third), before);
    const last = figure(measured.slice(-third), beforeLast);
    const usual = name === "WAL" ? walBytesUsual / megabyte : 0;
    const isFlat = last <= Math.max(first * factor, first + slack, usual);
    const line = `${name}: ${first.toFixed(1)} ${unit} in the first third, ${last.toFixed(1)} in the last`;
    lines.push(`${line}: ${isFlat ? "flat" : "not flat"}`);
    if (!isFlat) findings.push(`not flat: ${line}`);
  }
  return { lines, findings };
}
