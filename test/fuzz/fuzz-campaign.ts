// Sends case after case to one server, evaluates every reply and the store after it, and stops at
// the first cases in which anything is wrong.

import { openApp } from "../../src/process/app.ts";
import type { App } from "../../src/actions/app.ts";
import { readConfig } from "../../src/settings/config.ts";
import { fetchToken, makeCustomer } from "../support/customer.ts";
import type { Reply } from "../support/http-client.ts";
import { operate } from "../support/server.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import type { FuzzCase, Scene } from "./fuzz-case.ts";
import { checkReply } from "./check-reply.ts";
import { Expectation } from "./check-writes.ts";
import { makeCase } from "./make-case.ts";
import { exchangeRaw } from "./raw-exchange.ts";

export interface FuzzOptions {
  /** The first case has this seed, and each further one the next. */
  readonly seed: number;
  readonly casesMax: number;
  readonly budgetMs: number;
  readonly onProgress?: (cases: number) => void;
}

export interface FuzzReport {
  /** Each names the seed of its case. */
  readonly findings: readonly string[];
  readonly cases: number;
  readonly records: number;
  readonly byStatus: Readonly<Record<string, number>>;
}

const findingsMax = 20;
const casesPerCheck = 500;

export async function runFuzzCampaign(options: FuzzOptions): Promise<FuzzReport> {
  const folder = makeTempFolder();
  const environment = {
    PORT: "0",
    DATABASE_URL: `sqlite:${folder}/sluice.db`,
    DATA_DIR: folder,
    LOG_LEVEL: "error",
    RATE_LIMIT_PER_SECOND: "0",
  };
  const server = await startServerProcess(environment);
  try {
    const scene = await operate(environment, (app) => makeScene(app, server));
    const app = await openApp(readConfig(environment), { role: "command" });
    try {
      return await sendAll(server, { scene, app, options });
    } finally {
      await app.close();
    }
  } finally {
    await server.end("SIGTERM");
    removeFolder(folder);
  }
}

export async function makeScene(app: App, { client }: ServerProcess): Promise<Scene> {
  const customers = [await makeCustomer(app, client), await makeCustomer(app, client)];
  const [first] = customers;
  if (first === undefined) throw new Error("there is no customer");
  const unwatched = await makeCustomer(app, client);
  return {
    customers,
    unwatched,
    readerToken: await fetchToken(client, first, { scopes: ["person:read"] }),
  };
}

async function sendAll(
  server: ServerProcess,
  { scene, app, options }: { scene: Scene; app: App; options: FuzzOptions },
): Promise<FuzzReport> {
  const until = performance.now() + options.budgetMs;
  const expectation = new Expectation();
  const findings: string[] = [];
  const byStatus: Record<string, number> = {};
  const logged = new Set<string>();
  let cases = 0;
  while (cases < options.casesMax && performance.now() < until && findings.length < findingsMax) {
    const seed = options.seed + cases;
    cases += 1;
    const sent = makeCase(scene, seed);
    const run = { app, expectation, byStatus, seed };
    if (sent.before !== undefined) findings.push(...(await runCase(server, sent.before, run)));
    findings.push(...(await runCase(server, sent, run)));
    if (cases % casesPerCheck !== 0) continue;
    findings.push(...(await checkServer(server, logged)));
    options.onProgress?.(cases);
  }
  findings.push(...(await checkServer(server, logged)));
  const ids = scene.customers.map(({ organizationId }) => organizationId);
  findings.push(...(await expectation.checkCounts(app, ids)));
  return { findings, cases, records: expectation.accepted, byStatus };
}

interface Run {
  readonly app: App;
  readonly expectation: Expectation;
  readonly byStatus: Record<string, number>;
  readonly seed: number;
}

/** What was found, if anything, as one text. */
async function runCase(
  server: ServerProcess,
  sent: FuzzCase,
  { app, expectation, byStatus, seed }: Run,
): Promise<readonly string[]> {
  const { replies, faults } = await sendCase(server, sent);
  for (const reply of replies) {
    byStatus[reply.status] = (byStatus[reply.status] ?? 0) + 1;
    faults.push(...checkReply(sent, reply));
    if (sent.write !== undefined)
      faults.push(...(await expectation.evaluate(app, sent.write, reply)));
  }
  return faults.length === 0 ? [] : [describeCase(seed, sent, { faults, replies })];
}

async function sendCase(
  { client, address }: ServerProcess,
  sent: FuzzCase,
): Promise<{ replies: readonly Reply[]; faults: string[] }> {
  try {
    if (sent.raw === undefined) return { replies: [await client.send(sent.ask)], faults: [] };
    const { replies, rest } = await exchangeRaw(Number(new URL(address).port), sent.raw);
    const faults =
      rest.length === 0
        ? []
        : [`something that is no reply: ${rest.toString("latin1").slice(0, 200)}`];
    return { replies, faults };
  } catch (error) {
    return { replies: [], faults: [`no reply: ${String(error)}`] };
  }
}

/** Alive, ready, and without an error in its log that was not reported before. */
async function checkServer(server: ServerProcess, logged: Set<string>): Promise<readonly string[]> {
  const { client, child } = server;
  const { err } = server.output();
  if (child.exitCode !== null || child.signalCode !== null) return [`the server ended: ${err}`];
  const { status, text } = await client.send({ method: "GET", path: "/health/ready" });
  const findings = err.split("\n").filter((line) => isLoggedError(line) && !logged.has(line));
  for (const line of findings) logged.add(line);
  if (status !== 200) findings.push(`the server is not ready: ${status} ${text}`);
  return findings;
}

/**
 * This process reads the store in parallel with the server, and on a busy machine a deletion may
 * have to wait for it.
 */
function isLoggedError(line: string): boolean {
  return /^\{"level":[56]0,/.test(line) && !line.includes("Another process is reading or writing");
}

function describeCase(
  seed: number,
  { what, ask, raw }: FuzzCase,
  { faults, replies }: { faults: readonly string[]; replies: readonly Reply[] },
): string {
  const shown =
    raw?.toString("latin1") ??
    `${ask.method} ${ask.path} ${JSON.stringify(ask.headers)} ${String(ask.body)}`;
  const answers = replies.map(({ status, text }) => `${status} ${text.slice(0, 600)}`).join(" | ");
  return `case ${seed} (${what}): ${faults.join("; ")}\n  sent ${shown.slice(0, 3_000)}\n  got ${answers}`;
}
