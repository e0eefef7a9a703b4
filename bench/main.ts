// `npm run bench -- [NAME] [options]`: runs the benchmark of that name, each of which is a file beside this one, or of
// a feature, with its own options; most have `--engine sqlite|postgres`. Without a name it compares the operations of
// the service with a floor.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { basename, join } from "node:path";

const benchmarks: Readonly<Record<string, string>> = {
  operations: "each operation, compared with a bare floor",
  "postgres-bulk": "lists and a stream on PostgreSQL, compared with one connection that inserts",
  standby: "adds with and without a synchronous standby on the same machine",
  timeline: "a picture of the latency of single adds over time, beside a bare floor",
  changes: "following the feed of changes: what adds lose, lag, reading from the beginning",
  tails: "single adds beside lists and streams",
  import: "imports and streams of a million rows, compared with a bare floor",
  large: "export, check, restart and existence checks on a store of ten million records",
  deletion: "deletions on either engine, alone and beside intake",
  closing: "the deletion of a closed organization, beside intake",
  parties: "finding the transactions that name a person",
  console: "the pages of the console, alone and beside intake",
  clients: "concurrent calls of each client, one request for each and batched",
  all: "every figure of the page on performance, which takes most of a day",
};

/** The files of all benchmarks by their names: that of a feature is named after it. */
const files = new Map([
  ...Object.keys(benchmarks).map((name) => [name, `${name}.ts`] as const),
  ...globSync("../test/feature/*/bench/main.ts", { cwd: import.meta.dirname }).map(
    (file) => [basename(join(file, "../..")), file] as const,
  ),
]);

process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  if (words.includes("--help")) {
    process.stdout.write(`Usage: npm run bench -- [NAME] [options]\n\n${listBenchmarks()}\n`);
    return 0;
  }
  const isNamed = words[0]?.startsWith("-") === false;
  const [name, ...options] = isNamed ? words : ["operations", ...words];
  const file = files.get(name ?? "");
  if (file === undefined) {
    process.stderr.write(`there is no benchmark "${name ?? ""}"; there are\n${listBenchmarks()}\n`);
    return 2;
  }
  const args = [join(import.meta.dirname, file), ...options];
  const [code] = (await once(spawn(process.execPath, args, { stdio: "inherit" }), "exit")) as [
    number | null,
  ];
  return code ?? 1;
}

function listBenchmarks(): string {
  const rows = Array.from(files.keys(), (one) => {
    return `  ${one.padEnd(15)}${benchmarks[one] ?? "what this feature does"}`;
  });
  return rows.join("\n");
}
