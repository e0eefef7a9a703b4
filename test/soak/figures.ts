// What a soak measures in each minute, and whether it stays flat: the figures of its last third against those of its
// first.

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
  readonly bareP99Ms: number;
  /** Without the connections of clients. Others, too, are open for longer when replies take longer. */
  readonly openFiles: number;
  /** Deletions that are not completed. */
  readonly openDeletions: number;
  /** Since the start: written records, and the processor time of the server. */
  readonly records: number;
  readonly processorSeconds: number;
}

/** The median of the memory, the largest WAL, and the last of all others. */
export async function sample(
  site: Site,
  rowMs: number,
): Promise<Omit<SoakRow, "p99Ms" | "bareP99Ms">> {
  const [resident, store, wal]: [number[], number[], number[]] = [[], [], []];
  for (let count = 0; count < samplesOfRow; count += 1) {
    await sleep(rowMs / samplesOfRow);
    const [storeBytes, walBytes] = await readSizes(site);
    resident.push(readMemory(site.pid).residentBytes ?? Number.NaN);
    store.push(storeBytes);
    wal.push(walBytes);
  }
  const { text } = await site.server.client.send({ method: "GET", path: "/metrics" });
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^${name} (\\S+)$`, "gm"))].reduce(
      (all, [, value]) => all + Number(value),
      0,
    );
  return {
    residentBytes: median(resident),
    storeBytes: store.at(-1) ?? Number.NaN,
    walBytes: Math.max(...wal),
    openFiles: sum("sluice_process_open_fds") - sum("sluice_connections"),
    openDeletions: sum('sluice_deletions\\{status="(?:pending|processing)"\\}'),
    records: sum("sluice_records_written_total\\{[^}]*\\}"),
    processorSeconds: sum("sluice_process_cpu_seconds_total"),
  };
}

const bytesOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Of the store and of the WAL. */
async function readSizes({ postgres, target }: Site): Promise<readonly [number, number]> {
  const url = target.environment["DATABASE_URL"] ?? "";
  if (postgres === undefined) {
    const file = url.slice("sqlite:".length);
    return [bytesOf(file), bytesOf(`${file}-wal`)];
  }
  const [sizes] = await postgres.query(
    `SELECT pg_database_size(current_database())::float8 AS store,
       (SELECT sum(size) FROM pg_ls_waldir())::float8 AS wal`,
    url,
  );
  return [Number(sizes?.["store"]), Number(sizes?.["wal"])];
}

/** Rows that follow one another, and the row before them. */
type Rows = readonly [before: SoakRow, ...rows: SoakRow[]];

const usually =
  (name: keyof SoakRow, unit = 1) =>
  ([, ...rows]: Rows) =>
    median(rows.map((row) => row[name])) / unit;

const forRecord =
  (name: keyof SoakRow, unit: number) =>
  ([before, ...rows]: Rows) => {
    const last = rows.at(-1) ?? before;
    return (last[name] - before[name]) / unit / (last.records - before.records);
  };

/** How much the figure may grow: by this factor, or by this much. */
type Rule = readonly [unit: string, figure: (rows: Rows) => number, factor: number, slack: number];

const rules: Readonly<Record<string, Rule>> = {
  "resident memory": ["MB", usually("residentBytes", megabyte), 1.15, 32],
  WAL: ["MB", usually("walBytes", megabyte), 1.3, 0],
  p99: ["ms", usually("p99Ms"), 1.5, 10],
  "open files": ["files", usually("openFiles"), 1, 8],
  "open deletions": ["deletions", usually("openDeletions"), 1.5, 100],
  "growth of the store for a record": ["bytes", forRecord("storeBytes", 1), 1.3, 100],
  "processor time for a record": ["µs", forRecord("processorSeconds", 1e-6), 1.5, 0],
};
/**
 * Other programs and slower machines make these grow. As they delay a bare request of the same client in the same
 * minutes, too, these may grow as much as the p99 of that. Work of the server delays more what needs its store; if it
 * delays everything, because it needs a processor for longer, processor time for a record grows.
 */
const delayed = new Set(["p99", "open files"]);
/** The first minute compiles code and fills caches. */
const rowsOfWarmUp = 1;
const rowsOfThirdMin = 2;

interface Verdict {
  readonly lines: readonly string[];
  /** The lines on figures that are not flat. */
  readonly findings: readonly string[];
}

/** `walBytesUsual`: a WAL below this is what the engine is configured to have, however it got there. */
export function evaluateSoak(rows: readonly SoakRow[], walBytesUsual: number): Verdict {
  const third = Math.floor((rows.length - rowsOfWarmUp) / 3);
  if (third < rowsOfThirdMin) return { lines: ["too short to compare its thirds"], findings: [] };
  const first = rows.slice(rowsOfWarmUp - 1, rowsOfWarmUp + third) as unknown as Rows;
  const last = rows.slice(-third - 1) as unknown as Rows;
  const bare = usually("bareP99Ms");
  const [lines, findings]: [string[], string[]] = [[], []];
  for (const [name, [unit, figure, factor, slack]] of Object.entries(rules)) {
    const [before, after] = [figure(first), figure(last)];
    const usual = name === "WAL" ? walBytesUsual / megabyte : 0;
    const slower = delayed.has(name) ? Math.max(1, bare(last) / bare(first)) : 1;
    const isFlat = after <= Math.max(before * factor, before + slack, usual) * slower;
    const line = `${name}: ${before.toFixed(1)} ${unit} in the first third, ${after.toFixed(1)} in the last`;
    lines.push(`${line}: ${isFlat ? "flat" : "not flat"}`);
    if (!isFlat) findings.push(`not flat: ${line}`);
  }
  return { lines, findings };
}
