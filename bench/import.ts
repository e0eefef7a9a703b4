// `npm run bench -- import`: writes a million generated transactions into new stores in four ways, twice each, and
// prints rows per second, processor time and peak memory: a bare floor, `sluice import` of CSV into the local store and
// over HTTP, and an NDJSON stream. Fails if a count is wrong or a process exceeds its memory limit.

import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median } from "../test/support/median.ts";
import { writeInput } from "./import-input.ts";
import { type Pair, type Run, runTwice, type Way, ways } from "./import-run.ts";

const megabyte = 1_000_000;
const bytesMax = 300 * megabyte;

interface Options {
  readonly rows: number;
  readonly seed: number;
  readonly rounds: number;
  readonly json: boolean;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      rows: { type: "string", default: "1000000" },
      seed: { type: "string", default: "1" },
      rounds: { type: "string", default: "1" },
      json: { type: "boolean", default: false },
    },
  });
  const { rows, seed, rounds, json } = values;
  for (const value of [rows, rounds]) {
    if (!/^[1-9]\d{0,8}$/.test(value)) throw new Error("--rows and --rounds must be whole numbers");
  }
  return { rows: Number(rows), seed: Number(seed), rounds: Number(rounds), json };
}

type Outcome = Readonly<Record<Way, readonly Pair[]>>;

/** The ways take turns in each round, so that load of others meets all of them. */
async function measure(folder: string, options: Options): Promise<Outcome> {
  const files = { csv: join(folder, "rows.csv"), ndjson: join(folder, "rows.ndjson") };
  writeInput(files, options);
  const outcome: Record<Way, Pair[]> = {
    floor: [],
    "import, store": [],
    "import, HTTP": [],
    "NDJSON stream": [],
  };
  for (let round = 0; round < options.rounds; round += 1) {
    for (const way of ways) outcome[way].push(await runTwice(way, files, folder));
  }
  return outcome;
}

function findFaults(outcome: Outcome, { rows }: Options): readonly string[] {
  const faults: string[] = [];
  for (const way of ways) {
    for (const [first, again] of outcome[way]) {
      const found = [first.written, first.unchanged, again.written, again.unchanged];
      if (found.join() !== [rows, 0, 0, rows].join()) faults.push(`${way} counted ${found.join()}`);
      if (way === "floor") continue;
      const peaks = [first, again].flatMap(({ clientBytes, serverBytes }) => [
        clientBytes,
        serverBytes,
      ]);
      const tooLarge = peaks.filter((bytes) => bytes >= bytesMax);
      faults.push(...tooLarge.map((bytes) => `${way}: a process had ${inMegabytes(bytes)}`));
    }
  }
  return faults;
}

function inMegabytes(bytes: number): string {
  return Number.isNaN(bytes) ? "" : `${(bytes / megabyte).toFixed(0)} MB`;
}

function rate({ rows, seconds }: Run): number {
  return rows / seconds;
}

function render(outcome: Outcome, { rows, rounds }: Options): string {
  const line = (way: Way, which: 0 | 1): string => {
    const runs = outcome[way].map((pair) => pair[which]);
    const of = (figure: (run: Run) => number): number => median(runs.map(figure));
    const ratios = runs.map((run, round) => {
      const beside = outcome.floor[round]?.[which];
      return beside === undefined ? Number.NaN : rate(run) / rate(beside);
    });
    const cells = [
      `${way}, ${which === 0 ? "first" : "again"}`,
      Math.round(of(rate)).toLocaleString("en"),
      median(ratios).toFixed(2),
      of((run) => (run.clientCpuSeconds * 1e6) / run.rows).toFixed(1),
      of((run) => (run.serverCpuSeconds * 1e6) / run.rows).toFixed(1),
      inMegabytes(Math.max(...runs.map(({ clientBytes }) => clientBytes))),
      inMegabytes(Math.max(...runs.map(({ serverBytes }) => serverBytes))),
    ];
    return `| ${cells.join(" | ")} |`;
  };
  const lines = ways.flatMap((way) => [line(way, 0), line(way, 1)]);
  return `${rows.toLocaleString("en")} rows into new SQLite stores, medians of ${rounds}, ${availableParallelism()} cores that all
processes share, Node ${process.version}. Memory is the resident peak; the limit is ${inMegabytes(bytesMax)}.

| rows | rows/s | to the floor | client CPU µs/row | server CPU µs/row | client | server |
|:-----|-------:|-------------:|------------------:|------------------:|-------:|-------:|
${lines.join("\n")}
`;
}

async function main(): Promise<number> {
  const options = readOptions();
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-import-"));
  try {
    const outcome = await measure(folder, options);
    process.stdout.write(options.json ? `${JSON.stringify(outcome)}\n` : render(outcome, options));
    const faults = findFaults(outcome, options);
    for (const fault of faults) process.stderr.write(`${fault}\n`);
    return faults.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
