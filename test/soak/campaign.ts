// Runs a server under a mixed load for a long time, and prints a line for each minute: memory, size of the store, WAL
// and latencies. Finds what does not stay flat, and what was acknowledged and is missing at the end.

import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { PhaseReport } from "../abuse/good-client.ts";
import { loggedErrors } from "../abuse/run-abuse.ts";
import { openSite, type Site } from "../abuse/site.ts";
import {
  type Campaign,
  type CampaignOutcome,
  type CampaignRun,
  makeLimit,
} from "../campaign/campaign.ts";
import { median } from "../support/median.ts";
import { readMemory } from "../support/process-memory.ts";
import { makeRandom } from "../support/random.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { evaluateSoak, type SoakRow } from "./flat.ts";
import { Traffic } from "./traffic.ts";

const megabyte = 1e6;
const samplesOfRow = 12;
/** Small enough that a WAL reaches its size within the first minutes. */
const postgresSettings = {
  max_connections: "200",
  max_wal_size: "256MB",
  checkpoint_timeout: "30s",
};
/** What is configured, and what may be written while a checkpoint is in progress. */
const walBytesUsual = { sqlite: 128 * megabyte, postgres: 384 * megabyte };

interface Figures {
  readonly minutes: number;
  readonly requests: number;
  readonly deletions: number;
  readonly rows: number;
}

export interface SoakSize {
  /** How long a row of the table takes. */
  readonly rowMs: number;
  readonly rowsOfImport: number;
}

export const soak: Campaign<Figures> = {
  about: "mixed load for a long time: whether memory, WAL and p99 stay flat and nothing is lost",
  counts: "minutes",
  countDefault: 60,
  engines: ["sqlite", "postgres"],
  run: (run) => runSoak(run, { rowMs: 60_000, rowsOfImport: 5_000 }),
};

export async function runSoak(
  run: CampaignRun,
  { rowMs, rowsOfImport }: SoakSize,
): Promise<CampaignOutcome<Figures>> {
  const { engine, seed, tell } = run;
  const folder = makeTempFolder();
  const site = await openSite(engine, postgresSettings);
  try {
    const traffic = new Traffic(site, { random: makeRandom(seed), folder, rowsOfImport });
    const rows: SoakRow[] = [];
    const failures: string[] = [];
    let requests = 0;
    tell("minute  requests  timeouts  p50 ms  p99 ms  resident MB  store MB  WAL MB  deletions");
    for (const isOver = makeLimit(run); !isOver(rows.length);) {
      const [samples] = await Promise.all([sample(site, rowMs), traffic.run(rows.length, rowMs)]);
      const report = (await site.good.ask("endPhase")) as PhaseReport;
      const row = { ...samples, p99Ms: report.all.p99Ms };
      rows.push(row);
      requests += report.all.count;
      failures.push(...report.failures);
      tell(lineOf(rows.length, { row, report, deletions: traffic.counts.deletions }));
    }
    const { lines, findings } = evaluateSoak(rows, walBytesUsual[engine]);
    for (const line of lines) tell(line);
    const missing = [...(await missingOf(site)), ...(await traffic.verify())];
    return {
      figures: { minutes: rows.length, requests, ...traffic.counts },
      findings: [...findings, ...failures, ...missing, ...loggedErrors(site)],
    };
  } finally {
    await site.close();
    removeFolder(folder);
  }
}

async function missingOf({ good }: Site): Promise<readonly string[]> {
  const { missing } = (await good.ask("stop")) as { readonly missing: readonly string[] };
  return missing.map((id) => `acknowledged and not there: ${id}`);
}

/** The median of the memory, and the largest WAL. */
async function sample(site: Site, rowMs: number): Promise<Omit<SoakRow, "p99Ms">> {
  const samples: Omit<SoakRow, "p99Ms">[] = [];
  for (let count = 0; count < samplesOfRow; count += 1) {
    await sleep(rowMs / samplesOfRow);
    const residentBytes = readMemory(site.pid).residentBytes ?? Number.NaN;
    samples.push({ residentBytes, ...(await readSizes(site)) });
  }
  return {
    residentBytes: median(samples.map(({ residentBytes }) => residentBytes)),
    storeBytes: samples.at(-1)?.storeBytes ?? Number.NaN,
    walBytes: Math.max(...samples.map(({ walBytes }) => walBytes)),
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

function lineOf(
  minute: number,
  { row, report, deletions }: { row: SoakRow; report: PhaseReport; deletions: number },
): string {
  const { all, timeouts } = report;
  const { residentBytes, storeBytes, walBytes } = row;
  const [resident, store, wal] = [residentBytes, storeBytes, walBytes].map((bytes) =>
    (bytes / megabyte).toFixed(1),
  );
  return [
    `${minute}`.padStart(6),
    `${all.count}`.padStart(8),
    `${timeouts}`.padStart(8),
    all.p50Ms.toFixed(1).padStart(6),
    all.p99Ms.toFixed(1).padStart(6),
    (resident ?? "").padStart(11),
    (store ?? "").padStart(8),
    (wal ?? "").padStart(6),
    `${deletions}`.padStart(9),
  ].join("  ");
}
