// Changes valid Parquet files at random, and has each read in a process that has to stay small.

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { codecs, column, writeParquet } from "../../bulk/import/parquet-file.ts";
import {
  type Campaign,
  type CampaignOutcome,
  type CampaignRun,
  makeLimit,
} from "../../campaign/campaign.ts";
import { makeRandom, type Random } from "../../support/random.ts";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";
import type { ReadReport } from "./read-files.ts";

const execute = promisify(execFile);
export const residentBytesMax = 500_000_000;
/** Read by one process. */
const filesOfBatch = 200;

interface Figures {
  files: number;
  /** Those that were not refused. */
  read: number;
  peakBytes: number;
}

export const parquet: Campaign<Figures> = {
  about: "changes Parquet files, and reads each in a process that has to stay small",
  counts: "files",
  countDefault: 10_000,
  engines: ["sqlite"],
  run: readChanged,
};

async function readChanged(run: CampaignRun): Promise<CampaignOutcome<Figures>> {
  const isOver = makeLimit(run);
  const random = makeRandom(run.seed);
  const folder = makeTempFolder();
  const figures: Figures = { files: 0, read: 0, peakBytes: 0 };
  const findings: string[] = [];
  try {
    const originals = await makeOriginals(folder);
    while (!isOver(figures.files)) {
      const count = Math.min(filesOfBatch, run.countMax - figures.files);
      const paths = Array.from({ length: count }, (_, index) => {
        const path = join(folder, `${index}.parquet`);
        writeFileSync(path, mutate(random, random.pick(originals)));
        return path;
      });
      const report = await readAll(paths);
      figures.files += count;
      figures.read += report.outcomes.filter((outcome) => typeof outcome === "number").length;
      figures.peakBytes = Math.max(figures.peakBytes, report.peakBytes);
      findings.push(...report.findings);
      if (report.peakBytes > residentBytesMax) {
        findings.push(`${report.peakBytes} bytes resident, before file ${figures.files}`);
      }
      run.tell(`${figures.files} files`);
    }
  } finally {
    removeFolder(folder);
  }
  return { figures, findings };
}

/** Rejects if the process that reads them ends. */
export async function readAll(paths: readonly string[]): Promise<ReadReport> {
  const program = join(import.meta.dirname, "read-files.ts");
  const { stdout } = await execute(process.execPath, [program, ...paths], { maxBuffer: 2 ** 26 });
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
