// Runs one operation against floor and product in turn, on new stores with the same seed, then counts the rows of both stores.
// The server that goes first changes from round to round, so that neither always follows the other.

import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { availableParallelism, tmpdir } from "node:os";
import { machineSeconds } from "./processor.ts";
import type { RoundOrder, RoundReport } from "./load.ts";
import type { IdOrder, OperationName } from "./requests.ts";
import { startFloor, startProduct, type Subject, type SubjectName } from "./subjects.ts";
import { acknowledge, countStored, type Tally } from "./tally.ts";

export interface CompareOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly ids: IdOrder;
}

export interface Round extends RoundReport {
  /** The processor time of the server in this round. */
  readonly serverCpuSeconds: number;
  /** The share of the machine's processor time that neither server nor generator used. */
  readonly othersShare: number;
}

export interface Comparison {
  readonly operation: OperationName;
  readonly rounds: Readonly<Record<SubjectName, readonly Round[]>>;
  readonly acknowledged: Readonly<Record<SubjectName, Tally>>;
  readonly stored: Readonly<Record<SubjectName, Tally>>;
}

export type RunRound = (order: RoundOrder) => Promise<RoundReport>;

export async function compare(
  operation: OperationName,
  options: CompareOptions,
  runRound: RunRound,
): Promise<Comparison> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-bench-"));
  const subjects: Subject[] = [];
  const stop = () => subjects.splice(0).map(({ server }) => server.stop());
  try {
    const floor = await startFloor(folder);
    subjects.push(floor);
    const product = await startProduct(folder);
    subjects.push(product);
    const measured = await runRounds({ floor, product }, { operation, options, runRound });
    await Promise.all(stop());
    const stored = { floor: countStored(floor.file), product: countStored(product.file) };
    return { operation, ...measured, stored };
  } finally {
    // Something is left to stop only after a failure, and that failure is the one to report.
    await Promise.allSettled(stop());
    await rm(folder, { recursive: true, force: true });
  }
}

interface Work {
  readonly operation: OperationName;
  readonly options: CompareOptions;
  readonly runRound: RunRound;
}

async function runRounds(
  subjects: Readonly<Record<SubjectName, Subject>>,
  { operation, options, runRound }: Work,
) {
  const rounds: Record<SubjectName, Round[]> = { floor: [], product: [] };
  const acknowledged: Record<SubjectName, Tally> = {
    floor: { records: 0, changes: 0 },
    product: { records: 0, changes: 0 },
  };

  async function run(name: SubjectName, round: number): Promise<Round> {
    const { server, token } = subjects[name];
    const work: RoundOrder["operation"] = round === 0 ? "seed" : operation;
    const before = { server: server.cpuSeconds(), machine: machineSeconds() };
    const order = { ...options, port: server.port, token, operation: work, round };
    const report = await runRound(order);
    acknowledge(acknowledged[name], work, report.rows);
    const serverCpuSeconds = server.cpuSeconds() - before.server;
    const others = machineSeconds() - before.machine - serverCpuSeconds - report.cpuSeconds;
    return {
      ...report,
      serverCpuSeconds,
      othersShare: Math.max(0, others / (report.seconds * availableParallelism())),
    };
  }

  // Round 0 seeds, round 1 warms up; the others are measured.
  for (let round = 0; round < options.rounds + 2; round += 1) {
    const order: readonly SubjectName[] =
      round % 2 === 0 ? ["floor", "product"] : ["product", "floor"];
    for (const name of order) {
      const measured = await run(name, round);
      if (round >= 2) rounds[name].push(measured);
    }
  }
  return { rounds, acknowledged };
}
