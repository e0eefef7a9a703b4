// `npm run bench -- [NAME] [options]`: runs the benchmark of that name, each of which is a file beside this one with
// its own options; most have `--engine sqlite|postgres`. Without a name it compares the operations of the service with
// a floor.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

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
  find: "finding persons by what is known of them",
  parties: "finding the transactions that name a person",
  console: "the pages of the console, alone and beside intake",
  clients: "concurrent calls of each client, one request for each and batched",
};

process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  if (words.includes("--help")) {
    process.stdout.write(`Usage: npm run bench -- [NAME] [options]\n\n${listBenchmarks()}\n`);
    return 0;
  }
  const isNamed = words[0]?.startsWith("-") === false;
  const [name, ...options] = isNamed ? words : ["operations", ...words];
  if (name === undefined || !Object.hasOwn(benchmarks, name)) {
    process.stderr.write(`there is no benchmark "${name ?? ""}"; there are\n${listBenchmarks()}\n`);
    return 2;
  }
  const args = [join(import.meta.dirname, `${name}.ts`), ...options];
  const [code] = (await once(spawn(process.execPath, args, { stdio: "inherit" }), "exit")) as [
    number | null,
  ];
  return code ?? 1;
}

function listBenchmarks(): string {
  const rows = Object.entries(benchmarks).map(([one, about]) => `  ${one.padEnd(15)}${about}`);
  return rows.join("\n");
}
