// `npm run bench -- clients`: concurrent calls of `add` with one record by each client, one request for each call and
// batched, in turns against the same server. Skips a language whose tools the machine lacks. Asserts nothing.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { startServer } from "./child.ts";
import { median } from "../test/support/median.ts";
import { program } from "./program.ts";
import { runCommand } from "./subjects.ts";
import { onTemporaryStore } from "./temporary-store.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "sqlite" },
    callers: { type: "string", default: "64" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
  },
});

interface Program {
  readonly client: string;
  readonly words: readonly [string, ...string[]];
  readonly cwd?: string;
}

/** Each prints a JSON line for each round: its calls per second, without batching and with it. */
const programs: readonly Program[] = [
  { client: "TypeScript", words: [process.execPath, join(root, "bench/client/typescript.ts")] },
  { client: "Python, asyncio", words: ["python3", join(root, "bench/client/python.py")] },
  { client: "Go", words: ["go", "run", "./internal/bench"], cwd: join(root, "clients/go") },
];

interface Round {
  readonly single: number;
  readonly batched: number;
}

async function measure(
  { words: [command, ...words], cwd }: Program,
  environment: NodeJS.ProcessEnv,
): Promise<readonly Round[]> {
  const env = { ...process.env, ...environment };
  const { stdout } = await run(command, words, { env, ...(cwd && { cwd }) });
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Round);
}

function describe(client: string, rounds: readonly Round[]): string {
  const [single, batched] = [
    rounds.map((round) => round.single),
    rounds.map((round) => round.batched),
  ];
  const ratio = median(rounds.map((round) => round.batched / round.single)).toFixed(1);
  const figures = [median(single), median(batched)].map((figure) => figure.toFixed(0).padStart(10));
  return `${client.padEnd(16)}${figures.join("")}${ratio.padStart(8)}`;
}

await onTemporaryStore(values.engine, async (settings) => {
  runCommand(settings, ["organization", "create", "--name", "Bench", "--id", "bench"]);
  const key = runCommand(settings, ["key", "create", "--organization", "bench"]);
  const server = await startServer([program, "serve"], settings);
  try {
    process.stdout.write("client               single   batched   ratio   (calls/s, medians)\n");
    for (const one of programs) {
      const rounds = await measure(one, {
        SLUICE_URL: `http://127.0.0.1:${server.port}`,
        SLUICE_API_KEY: key["api_key"],
        SLUICE_ORGANIZATION: "bench",
        BENCH_CALLERS: values.callers,
        BENCH_ROUNDS: values.rounds,
        BENCH_SECONDS: values.seconds,
        PYTHONPATH: join(root, "clients/python/src"),
        PYTHONDONTWRITEBYTECODE: "1",
        GOTOOLCHAIN: "local",
        GOPROXY: "off",
      }).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
        return undefined;
      });
      const line = rounds === undefined ? "skipped" : describe(one.client, rounds);
      process.stdout.write(`${line}\n`);
    }
  } finally {
    await server.stop();
  }
});
