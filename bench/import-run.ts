// One way of writing the transactions of a file, on a new store of its own: first, and again with the same rows.
// Measures the time, and the processor time and peak memory of the process that reads the file and of the server.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type ServerProcess, startServer } from "./child.ts";
import { csvMapping, type InputFiles } from "./import-input.ts";
import { watchMemory } from "./memory.ts";
import { cpuSecondsOf, reapedSeconds } from "./processor.ts";
import { program } from "./program.ts";
import { requestToken, runCommand } from "./subjects.ts";

export const ways = ["floor", "import, store", "import, HTTP", "NDJSON stream"] as const;
export type Way = (typeof ways)[number];

export interface Counts {
  readonly rows: number;
  readonly written: number;
  readonly unchanged: number;
  readonly refused: number;
  readonly seconds: number;
}

export interface Run extends Counts {
  readonly clientCpuSeconds: number;
  readonly serverCpuSeconds: number;
  readonly clientBytes: number;
  readonly serverBytes: number;
}

export type Pair = readonly [first: Run, again: Run];

const floor = join(import.meta.dirname, "import-floor.ts");

export async function runTwice(way: Way, files: InputFiles, parent: string): Promise<Pair> {
  const folder = mkdtempSync(join(parent, "store-"));
  try {
    if (way === "floor") {
      const words = [floor, files.csv, join(folder, "floor.db")];
      return [await runProgram(words, {}), await runProgram(words, {})];
    }
    const scene = makeScene(files, folder);
    if (way === "import, store") return [await runImport(scene), await runImport(scene)];
    const server = await startServer([program, "serve"], scene.environment);
    const run = () =>
      way === "import, HTTP" ? runImport(scene, server) : runStream(scene, server);
    try {
      return [await run(), await run()];
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Scene {
  readonly files: InputFiles;
  readonly environment: Readonly<Record<string, string>>;
  readonly organizationId: string;
  readonly apiKey: string;
}

function makeScene(files: InputFiles, folder: string): Scene {
  const environment = {
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_URL: `sqlite:${join(folder, "sluice.db")}`,
    DATA_DIR: folder,
    NODE_ENV: "production",
    LOG_LEVEL: "warn",
    // The same value as in the image and the unit of systemd.
    MALLOC_ARENA_MAX: "2",
    // Rate limits apply, but are high enough to refuse nothing.
    RATE_LIMIT_PER_SECOND: "10000000",
  };
  const organizationId = "bench";
  const about = ["--name", "Bench", "--id", organizationId];
  runCommand(environment, ["organization", "create", ...about]);
  const key = runCommand(environment, ["key", "create", "--organization", organizationId]);
  return { files, environment, organizationId, apiKey: key["api_key"] ?? "" };
}

/** Runs a program that prints its counts as JSON. */
async function runProgram(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  server?: ServerProcess,
): Promise<Run> {
  const before = { client: reapedSeconds(), server: server?.cpuSeconds() ?? 0 };
  const child = spawn(process.execPath, words, {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const watch = watchMemory(child.pid ?? 0);
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  watch.stop();
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}: ${out}`);
  const parsed = JSON.parse(out) as Counts | { readonly files: readonly [Counts] };
  return {
    ...("files" in parsed ? parsed.files[0] : parsed),
    clientCpuSeconds: reapedSeconds() - before.client,
    serverCpuSeconds: (server?.cpuSeconds() ?? 0) - before.server,
    clientBytes: watch.peakBytes(),
    serverBytes: peakBytesOf(server),
  };
}

function runImport(scene: Scene, server?: ServerProcess): Promise<Run> {
  const about = ["--type", "transaction", "--organization", scene.organizationId];
  const url = server === undefined ? [] : ["--url", `http://127.0.0.1:${server.port}`];
  const words = ["import", scene.files.csv, ...about, "--map", csvMapping, ...url, "--json"];
  const own = server === undefined ? scene.environment : { SLUICE_API_KEY: scene.apiKey };
  return runProgram([program, ...words], own, server);
}

function peakBytesOf(server: ServerProcess | undefined): number {
  if (server === undefined) return Number.NaN;
  const watch = watchMemory(server.pid);
  watch.stop();
  return watch.peakBytes();
}

async function runStream(scene: Scene, server: ServerProcess): Promise<Run> {
  const baseUrl = `http://127.0.0.1:${server.port}`;
  const { organizationId, apiKey } = scene;
  const token = await requestToken({ baseUrl, organizationId, apiKey });
  const before = { at: performance.now(), client: cpuSecondsOf(process.pid) };
  const serverBefore = server.cpuSeconds();
  const summary = await sendStream(scene.files.ndjson, { port: server.port, token });
  return {
    rows: summary["received"] ?? Number.NaN,
    written: summary["write_count"] ?? Number.NaN,
    unchanged: summary["unchanged"] ?? Number.NaN,
    refused: summary["refused"] ?? Number.NaN,
    seconds: (performance.now() - before.at) / 1_000,
    clientCpuSeconds: cpuSecondsOf(process.pid) - before.client,
    serverCpuSeconds: server.cpuSeconds() - serverBefore,
    clientBytes: Number.NaN,
    serverBytes: peakBytesOf(server),
  };
}

/** Sends a file from this process, as `curl -T` does. Returns the summary of the reply. */
export async function sendStream(
  file: string,
  { port, token }: { readonly port: number; readonly token: string },
): Promise<Readonly<Record<string, number>>> {
  const sent = request(`http://127.0.0.1:${port}/v2/transactions/batch`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/x-ndjson" },
  });
  createReadStream(file).pipe(sent);
  const [reply] = (await once(sent, "response")) as [IncomingMessage];
  const lines = (await text(reply)).trim().split("\n");
  return JSON.parse(lines.at(-1) ?? "") as Readonly<Record<string, number>>;
}
