// Runs one abuse next to the good client, and collects its effect on the server and on the good
// client.

import { setTimeout as sleep } from "node:timers/promises";
import type { Abuse } from "./abuse.ts";
import type { Outcome, Preparation } from "./abuser-process.ts";
import type { PhaseReport } from "./good-client.ts";
import { isAnswering } from "../support/http-client.ts";
import { readMemory, resetPeak } from "../support/process-memory.ts";
import type { Site } from "./site.ts";
import { badStatuses, type Tally } from "./tally.ts";

export interface AbuseOptions {
  readonly seed: number;
  readonly short: boolean;
  readonly abuseMs: number;
  /** How long the good client runs before it is measured. */
  readonly warmUpMs: number;
  /** How long the good client is measured alone before; 0 if times do not matter. */
  readonly idleMs: number;
  /** How long after the end the memory is read. */
  readonly settleMs: number;
}

export interface AbuseRow {
  readonly name: string;
  readonly idle: PhaseReport;
  readonly under: PhaseReport;
  /** Under the same abuse, at a server that only replies. */
  readonly floor?: PhaseReport;
  readonly tally: Tally;
  readonly peakBytes: number | undefined;
  readonly settledBytes: number | undefined;
  readonly eventLoopP99Ms: number;
  readonly eventLoopMaxMs: number;
  /** What must not happen on any machine. */
  readonly findings: readonly string[];
}

/**
 * Of a server that met one abuse; and of one that met all of them, because memory is returned to
 * the system only slowly.
 */
export const residentBytesMax = 600 * 1_000_000;
export const residentOfAllBytesMax = 750 * 1_000_000;

export async function runAbuse(
  site: Site,
  { name }: Abuse,
  { seed, short, abuseMs, warmUpMs, idleMs, settleMs }: AbuseOptions,
): Promise<AbuseRow> {
  const { good, abuser, target, pid } = site;
  const preparation: Preparation = { name, target, seed, short };
  await abuser.ask("prepare", preparation);
  await sleep(warmUpMs);
  await good.ask("endPhase");
  await sleep(idleMs);
  const idle = (await good.ask("endPhase")) as PhaseReport;
  resetPeak(pid);
  await abuser.ask("run", { milliseconds: abuseMs });
  const under = (await good.ask("endPhase")) as PhaseReport;
  const { tally, findings } = (await abuser.ask("check")) as Outcome;
  await requireAnswer(site, findings);
  const lag = await readLag(site);
  await sleep(settleMs);
  const { peakBytes, residentBytes } = readMemory(pid);
  const bytesMax = short ? residentOfAllBytesMax : residentBytesMax;
  const evaluated = { tally, idle, under, peakBytes, bytesMax };
  return {
    name,
    idle,
    under,
    tally,
    peakBytes,
    settledBytes: residentBytes,
    ...lag,
    findings: [...findings, ...(await findingsOf(site, evaluated))],
  };
}

/** Whatever is asked of a server that answers nothing waits for ever. */
async function requireAnswer({ server }: Site, findings: readonly string[]): Promise<void> {
  if (await isAnswering(server.address)) return;
  const { child } = server;
  const state = `exit code ${child.exitCode}, signal ${child.signalCode}`;
  const written = server.output().err.slice(-2_000);
  child.kill("SIGKILL");
  throw new Error([`the server answers nothing; ${state}; ${written}`, ...findings].join("; "));
}

interface Evaluated extends Pick<AbuseRow, "tally" | "idle" | "under" | "peakBytes"> {
  readonly bytesMax: number;
}

async function findingsOf(
  { server }: Site,
  { tally, idle, under, peakBytes, bytesMax }: Evaluated,
): Promise<readonly string[]> {
  const findings = badStatuses(tally).map((status) => `the abuser got a ${status}`);
  if (tally.sent === 0) findings.push("nothing was sent");
  for (const failure of [...idle.failures, ...under.failures]) {
    findings.push(`the good client got ${failure}`);
  }
  if (peakBytes !== undefined && peakBytes > bytesMax) {
    findings.push(`${Math.round(peakBytes / 1e6)} MB resident`);
  }
  const { status, text } = await server.client.send({ method: "GET", path: "/health/ready" });
  if (status !== 200) findings.push(`the server is not ready: ${status} ${text}`);
  return findings;
}

/** The errors that the server logged; its log has one JSON object a line. */
export function loggedErrors({ server }: Site): readonly string[] {
  const lines = server.output().err.split("\n");
  return lines.filter((line) => line !== "").map((line) => `the server wrote: ${line}`);
}

export async function readMetric({ server }: Site, name: string): Promise<number> {
  const { text } = await server.client.send({ method: "GET", path: "/metrics" });
  const value = new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1];
  return Number(value ?? Number.NaN);
}

async function readLag(site: Site): Promise<Pick<AbuseRow, "eventLoopP99Ms" | "eventLoopMaxMs">> {
  const lag = (which: string) => readMetric(site, `sluice_nodejs_eventloop_lag_${which}_seconds`);
  return { eventLoopP99Ms: (await lag("p99")) * 1_000, eventLoopMaxMs: (await lag("max")) * 1_000 };
}
