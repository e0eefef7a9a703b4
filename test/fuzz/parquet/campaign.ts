// Changes valid Parquet files at random, and has each read in a process that has to stay small.

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { codecs, column, writeParquet } from "../../bulk/import/parquet-file.ts";
import type { Campaign } from "../../campaign/campaign.ts";
import { makeRandom, type Random } from "../../support/random.ts";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";
import type { ReadReport } from "./read-files.ts";

const run = promisify(execFile);
export const residentBytesMax = 500_000_000;
/** Read by one process. */
const filesOfBatch = 200;

export const parquet: Campaign = {
  about: "changes Parquet files, and reads each in a process that has to stay small",
  counts: "files",
  countDefault: 10_000,
  engines: ["sqlite"],
  run: async ({ seed, countMax: filesMax, budgetMs, tell }) => {
    const report = await runParquetCampaign({ seed, filesMax, budgetMs, tell });
    const { findings, ...figures } = report;
    return { figures, findings };
  },
};

interface ParquetReport {
  readonly files: number;
  /** Those that were not refused. */
  readonly read: number;
  readonly peakBytes: number;
  readonly findings: readonly string[];
}

export async function runParquetCampaign({
  seed,
  filesMax,
  budgetMs,
  tell,
}: {
  readonly seed: number;
  readonly filesMax: number;
  readonly budgetMs: number;
  readonly tell: (line: string) => void;
}): Promise<ParquetReport> {
  const until = performance.now() + budgetMs;
  const random = makeRandom(seed);
  const folder = makeTempFolder();
  const total = { files: 0, read: 0, peakBytes: 0 };
  const findings: string[] = [];
  try {
    const originals = await makeOriginals(folder);
    while (total.files < filesMax && performance.now() < until) {
      const count = Math.min(filesOfBatch, filesMax - total.files);
      const paths = Array.from({ length: count }, (_, index) => {
        const path = join(folder, `${index}.parquet`);
        writeFileSync(path, mutate(random, random.pick(originals)));
        return path;
      });
      const report = await readAll(paths);
      total.files += count;
      total.read += report.outcomes.filter((outcome) => typeof outcome === "number").length;
      total.peakBytes = Math.max(total.peakBytes, report.peakBytes);
      findings.push(...report.findings);
      if (report.peakBytes > residentBytesMax) {
        findings.push(`${report.peakBytes} bytes resident, before file ${total.files}`);
      }
      tell(`${total.files} files`);
    }
  } finally {
    removeFolder(folder);
  }
  return { ...total, findings };
}

/** Rejects if the process that reads them ends. */
export async function readAll(paths: readonly string[]): Promise<ReadReport> {
  const program = join(import.meta.dirname, "read-files.ts");
  const { stdout } = await run(process.execPath, [program, ...paths], { maxBuffer: 2 ** 26 });
  return JSON.parse(stdout) as ReadReport;
}

/** One in each codec. */
async function makeOriginals(folder: string): Promise<readonly Buffer[]> {
  const text = { type: "BYTE_ARRAY", converted_type: "UTF8" } as const;
  const rows = Array.from({ length: 300 }, (_, index) => index);
  const statuses = rows.map((row) => (row % 3 === 0 ? null : "SETTLED"));
  const columns = [
    column(
      "tx_id",
      text,
      rows.map((row) => `id ${row}`),
    ),
    column("status", text, statuses),
    column(
      "amount",
      { type: "DOUBLE" },
      rows.map((row) => row / 4),
    ),
    column("count", { type: "INT64" }, rows.map(BigInt)),
    column(
      "is_test",
      { type: "BOOLEAN" },
      rows.map((row) => row % 2 === 0),
    ),
  ];
  const originals: Buffer[] = [];
  for (const codec of codecs) {
    originals.push(
      readFileSync(await writeParquet(join(folder, `${codec}.parquet`), columns, { codec })),
    );
  }
  return originals;
}

/** Flips, replaces, removes or repeats bytes, mostly in the footer and where pages begin. */
function mutate(random: Random, original: Buffer): Buffer {
  const bytes = Buffer.from(original);
  for (let change = random.integer(1, 4); change > 0; change -= 1) {
    const isFooter = random.chance(0.5);
    const from = isFooter ? Math.max(4, bytes.length - 600) : 4;
    const at = random.integer(from, isFooter ? bytes.length - 5 : Math.min(60, bytes.length - 5));
    const kind = random.integer(0, 3);
    if (kind === 0) bytes[at] = random.integer(0, 255);
    else if (kind === 1) bytes[at] = (bytes[at] ?? 0) ^ (1 << random.integer(0, 7));
    else if (kind === 2) bytes.fill(0xff, at, at + random.integer(1, 5));
    else bytes.copyWithin(at, at + random.integer(1, 8));
  }
  return random.chance(0.1) ? bytes.subarray(random.integer(0, 20)) : bytes;
}
