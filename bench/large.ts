// `npm run bench -- large`: what could depend on how much a store on SQLite contains: export, check, the start after a
// kill, and existence checks at random, the last two in turns with a store of a thousand records. Asserts nothing.

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openApp } from "../src/process/app.ts";
import { readConfig } from "../src/settings/config.ts";
import { type ServerProcess, startServer } from "./child.ts";
import { type CheckRound, runChecks } from "./existence.ts";
import { median } from "../test/support/median.ts";
import { fill } from "./fill.ts";
import { startIntake } from "./intake.ts";
import { reapedSeconds } from "./processor.ts";
import { program } from "./program.ts";
import { requestToken, runCommand } from "./subjects.ts";
import { onTemporaryStore, type Settings } from "./temporary-store.ts";

const organizationId = "bench";
const fewRecords = 1_000;

const { values } = parseArgs({
  options: {
    records: { type: "string", default: "10000000" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
  },
});
const [records, rounds, seconds] = [values.records, values.rounds, values.seconds].map(Number) as [
  number,
  number,
  number,
];

interface Filled {
  readonly records: number;
  readonly environment: Settings;
  readonly apiKey: string;
}

async function fillStore(environment: Settings, count: number): Promise<Filled> {
  runCommand(environment, ["organization", "create", "--name", "Bench", "--id", organizationId]);
  const key = runCommand(environment, ["key", "create", "--organization", organizationId]);
  const app = await openApp(readConfig(environment), { role: "serve" });
  await fill(app.store, { organizationId, records: count, ids: "ordered" });
  await app.close();
  return { records: count, environment, apiKey: key["api_key"] ?? "" };
}

/** Wall and processor time of a command, in seconds. */
function time(environment: Settings, command: readonly string[]): string {
  const [from, cpu] = [performance.now(), reapedSeconds()];
  const { rows } = runCommand(environment, command);
  const took = (performance.now() - from) / 1_000;
  const rate = rows === undefined ? "" : `, ${Math.round(Number(rows) / took)} records/s`;
  return `${took.toFixed(1)} s${rate}, ${(reapedSeconds() - cpu).toFixed(1)} s of processor time`;
}

function tokenFor({ apiKey }: Filled, server: ServerProcess): Promise<string> {
  const baseUrl = `http://127.0.0.1:${server.port}`;
  return requestToken({ baseUrl, apiKey, organizationId, expirySeconds: 86_400 });
}

/** Milliseconds from starting a server that was killed during intake until it is ready. */
async function restart(filled: Filled): Promise<number> {
  const killed = await startServer([program, "serve"], filled.environment);
  const token = await tokenFor(filled, killed);
  const round = Date.now() % 1e9;
  await startIntake({ connections: 64, pauseMs: 0, port: killed.port, token, round });
  await sleep(seconds * 1_000);
  process.kill(killed.pid, "SIGKILL");
  while (isAlive(killed.pid)) await sleep(5);
  const from = performance.now();
  const server = await startServer([program, "serve"], filled.environment);
  while (!(await isReady(server))) await sleep(5);
  const took = performance.now() - from;
  await server.stop();
  return took;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function isReady({ port }: ServerProcess): Promise<boolean> {
  const reply = await fetch(`http://127.0.0.1:${port}/health/ready`);
  await reply.arrayBuffer();
  return reply.ok;
}

/** Alternates; the first round of each is not measured. */
async function compareChecks(stores: readonly Filled[]): Promise<readonly CheckRound[][]> {
  await using opened = new AsyncDisposableStack();
  const subjects = [];
  for (const filled of stores) {
    const server = await startServer([program, "serve"], filled.environment);
    opened.defer(() => server.stop());
    const token = await tokenFor(filled, server);
    const found: CheckRound[] = [];
    subjects.push({ server, token, records: filled.records, found });
  }
  for (let round = -1; round < rounds; round += 1) {
    for (const { found, ...subject } of subjects) {
      const figures = await runChecks({ ...subject, connections: 64, seconds });
      if (round >= 0) found.push(figures);
    }
  }
  return subjects.map(({ found }) => found);
}

function render(checks: readonly CheckRound[]): string {
  return (
    `${median(checks.map(({ perSecond }) => perSecond)).toFixed(0)}/s, ` +
    `${median(checks.map(({ cpuUs }) => cpuUs)).toFixed(1)} µs of the server's processor time`
  );
}

function reportChecks([few = [], many = []]: readonly CheckRound[][]): string {
  const ratios = many.map(({ perSecond }, round) => perSecond / (few[round]?.perSecond ?? NaN));
  return `${render(many)}; with few records ${render(few)}; ratio of pairs ${median(ratios).toFixed(2)}`;
}

function say(what: string, figures: string): void {
  process.stdout.write(`${what}: ${figures}\n`);
}

async function measure(environment: Settings): Promise<void> {
  const many = await fillStore(environment, records);
  const folder = environment["DATA_DIR"] ?? "";
  const bytes = statSync(join(folder, "sluice.db")).size;
  say(
    `${records.toLocaleString("en")} records, ${Math.round(bytes / 1e6)} MB`,
    `${availableParallelism()} cores that all processes share, Node ${process.version}`,
  );
  const other = mkdtempSync(join(tmpdir(), "sluice-bench-few-"));
  try {
    const about = ["transaction", "--organization", organizationId];
    say("export", time(environment, ["export", ...about, "--output", join(other, "out.ndjson")]));
    say("check", time(environment, ["check"]));
    const database = { DATABASE_URL: `sqlite:${join(other, "sluice.db")}`, DATA_DIR: other };
    const few = await fillStore({ ...environment, ...database }, fewRecords);
    say("existence checks", reportChecks(await compareChecks([few, many])));
    const starts: [number, number][] = [];
    for (let round = 0; round < rounds; round += 1) {
      starts.push([await restart(few), await restart(many)]);
    }
    const [ofFew, ofMany] = [0, 1].map((index) => median(starts.map((pair) => pair[index] ?? NaN)));
    say(
      "from the start after a kill to ready",
      `${ofMany?.toFixed(0)} ms; with few records ${ofFew?.toFixed(0)} ms`,
    );
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
}

await onTemporaryStore("sqlite", measure);
