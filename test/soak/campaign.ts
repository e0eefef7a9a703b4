// Runs a server under a mixed load for a long time, and prints a line for each minute: memory, size of the store, WAL
// and latencies. Finds what does not stay flat, and what was acknowledged and is missing at the end. The load of a soak
// beside the good client: ten deletions a second, a stream that is open all the time, and an import. Finally checks
// that every deletion was completed and that nothing else that was acknowledged is missing. Whether the figures of a
// soak stay flat: those of its last third against those of its first.

import { appendFileSync, statSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
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
import { makeRandom, type Random } from "../support/random.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { linesOf, transaction } from "../abuse/records.ts";
import { runProgram } from "../cli/program.ts";
import { type Ask, type Reply, sendWithinLimit } from "../support/http-client.ts";
import { linesOf as repliesOf, openStream } from "../support/stream-client.ts";
import { waitFor } from "../support/wait-for.ts";

const megabyte = 1e6;
const samplesOfRow = 12;
/** Small enough that a WAL reaches its size within the first minutes. */
const postgresSettings = {
  max_connections: "200",
  max_wal_size: "256MB",
  checkpoint_timeout: "30s",
};
/** What is configured, and what may be written while a checkpoint is in progress. */
const walBytesOf = { sqlite: 128 * megabyte, postgres: 384 * megabyte };

interface Figures {
  readonly minutes: number;
  readonly requests: number;
  readonly deletions: number;
  readonly rows: number;
}

interface SoakSize {
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
    const { lines, findings } = evaluateSoak(rows, walBytesOf[engine]);
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

interface TrafficOptions {
  readonly random: Random;
  /** For the files that are imported, and those that were streamed. */
  readonly folder: string;
  readonly rowsOfImport: number;
}

const deletionEveryMs = 100;
const streamEveryMs = 100;
const linesEach = 20;
const deletionTimeoutMs = 600_000;

export class Traffic {
  readonly findings: string[] = [];
  readonly #site: Site;
  readonly #options: TrafficOptions;
  /** The files whose rows were acknowledged, with the number of their rows. */
  readonly #files = new Map<string, number>();
  /** The deleted ids by their deletion. */
  readonly #deletions = new Map<string, string>();
  #importing: Promise<void> = Promise.resolve();

  constructor(site: Site, options: TrafficOptions) {
    this.#site = site;
    this.#options = options;
  }

  /** What was acknowledged. */
  get counts(): { readonly deletions: number; readonly rows: number } {
    const rows = this.#files.values().reduce((sum, count) => sum + count, 0);
    return { deletions: this.#deletions.size, rows };
  }

  /** One import begins after the other has ended. */
  async run(part: number, milliseconds: number): Promise<void> {
    const until = performance.now() + milliseconds;
    this.#importing = this.#importing.then(() => this.#import(part));
    await Promise.all([this.#delete(until), this.#stream(part, until)]);
  }

  async verify(): Promise<readonly string[]> {
    await this.#importing;
    for (const [deletionRequestId, id] of this.#deletions) {
      await waitFor(
        `${deletionRequestId}, of ${id}, to be completed`,
        async () => {
          const query = { deletion_request_id: deletionRequestId };
          const { body } = await this.#send("GET", "/v2/deletion_request", { query });
          return body.status === "completed";
        },
        { timeoutMs: deletionTimeoutMs, intervalMs: 100 },
      );
      const { status } = await this.#send("GET", "/v2/transaction", { query: { tx_id: id } });
      if (status !== 404) this.findings.push(`${id} was deleted, and is there: ${status}`);
    }
    // What is stored is unchanged when it is sent again.
    const { written, unchanged } = await this.#importFiles([...this.#files.keys()]);
    if (written !== 0 || unchanged !== this.counts.rows) {
      this.findings.push(`of ${this.counts.rows} rows ${unchanged} are stored`);
    }
    return this.findings;
  }

  async #delete(until: number): Promise<void> {
    for (let due = performance.now(); due < until; due += deletionEveryMs) {
      await sleep(Math.max(0, due - performance.now()));
      const id = `deleted-${this.#deletions.size}`;
      await this.#send("POST", "/v2/transaction", { body: this.#record(id) });
      const body = { tx_id: id, reason: "deleted by a soak" };
      const reply = await this.#send("DELETE", "/v2/transaction", { body });
      const { deletion_request_id: deletionRequestId } = reply.body;
      if (deletionRequestId !== undefined) this.#deletions.set(deletionRequestId, id);
    }
  }

  async #stream(part: number, until: number): Promise<void> {
    const { address, token } = this.#site.target;
    const path = join(this.#options.folder, `stream-${part}.ndjson`);
    const stream = openStream(address, { method: "POST", path: "/v2/transactions/batch", token });
    let count = 0;
    for (let due = performance.now(); due < until; due += streamEveryMs) {
      await sleep(Math.max(0, due - performance.now()));
      const lines = this.#linesOf(`streamed-${part}-${count}`, linesEach);
      appendFileSync(path, lines);
      await stream.write(lines);
      count += linesEach;
    }
    const reply = await stream.end();
    const written = repliesOf(reply).at(-1)?.["write_count"];
    if (written !== count)
      this.findings.push(`a stream of ${count} lines wrote ${String(written)}`);
    this.#files.set(path, count);
  }

  async #import(part: number): Promise<void> {
    const { folder, rowsOfImport: count } = this.#options;
    const path = join(folder, `import-${part}.ndjson`);
    writeFileSync(path, this.#linesOf(`imported-${part}`, count));
    const { written } = await this.#importFiles([path]);
    if (written !== count) this.findings.push(`an import of ${count} rows wrote ${written}`);
    this.#files.set(path, count);
  }

  async #importFiles(paths: readonly string[]) {
    const { address, organizationId, apiKey } = this.#site.target;
    const about = ["--type", "transaction", "--organization", organizationId, "--url", address];
    const words = ["import", ...paths, ...about, "--json"];
    const { code, out, err } = await runProgram(words, { SLUICE_API_KEY: apiKey });
    if (code !== 0) this.findings.push(`an import ended with ${code}: ${out}${err}`.slice(0, 500));
    const { files } = JSON.parse(out) as {
      files: { readonly written: number; readonly unchanged: number }[];
    };
    const sum = (name: "written" | "unchanged") => files.reduce((all, one) => all + one[name], 0);
    return { written: sum("written"), unchanged: sum("unchanged") };
  }

  async #send(method: string, path: string, more: Pick<Ask, "query" | "body">): Promise<Reply> {
    const { server, target } = this.#site;
    const ask = { method, path, token: target.token, ...more };
    const reply = await sendWithinLimit(server.client, ask);
    if (reply.status >= 400 && reply.status !== 404) {
      this.findings.push(`${method} ${path}: ${reply.status} ${reply.text.slice(0, 200)}`);
    }
    return reply;
  }

  #linesOf(prefix: string, count: number): string {
    return linesOf(count, (index) => this.#record(`${prefix}-${index}`));
  }

  #record(id: string): string {
    return transaction(id, this.#options.random.integer(1, 1_000_000));
  }
}

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

interface Verdict {
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
