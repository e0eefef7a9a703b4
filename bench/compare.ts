// Runs one operation against floor and product in turn, on new stores with the same seed, then counts the rows of both
// stores. The server that goes first changes from round to round, so that neither always follows the other.

import { availableParallelism } from "node:os";
import { machineSeconds } from "./processor.ts";
import type { RoundOrder, RoundReport } from "./load.ts";
import type { IdOrder, OperationName } from "./requests.ts";
import { type SubjectName, subjectNames, type Subjects, withSubjects } from "./subjects.ts";
import { acknowledge, countStored, type Tally } from "./tally.ts";

export interface CompareOptions {
  readonly engine: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly ids: IdOrder;
}

export interface Round extends RoundReport {
  /** The processor time of the server in this round, and of the processes of its database. */
  readonly serverCpuSeconds: number;
  readonly databaseCpuSeconds: number;
  /** Statements that PostgreSQL executed. */
  readonly statements: number;
  /** The share of the machine's processor time that none of these and not the generator used. */
  readonly othersShare: number;
}

export interface Comparison {
  readonly operation: OperationName;
  readonly rounds: Readonly<Record<SubjectName, readonly Round[]>>;
  readonly acknowledged: Readonly<Record<SubjectName, Tally>>;
  readonly stored: Readonly<Record<SubjectName, Tally>>;
}

export type RunRound = (order: RoundOrder) => Promise<RoundReport>;

export function compare(
  operation: OperationName,
  options: CompareOptions,
  runRound: RunRound,
): Promise<Comparison> {
  return withSubjects(options.engine, async (subjects, stop) => {
    const measured = await runRounds(subjects, { operation, options, runRound });
    await stop();
    const floor = await countStored(subjects.floor.store);
    const product = await countStored(subjects.product.store);
    return { operation, ...measured, stored: { floor, product } };
  });
}

interface Work {
  readonly operation: OperationName;
  readonly options: CompareOptions;
  readonly runRound: RunRound;
}

async function runRounds(subjects: Subjects, { operation, options, runRound }: Work) {
  const rounds: Record<SubjectName, Round[]> = { floor: [], product: [] };
  const acknowledged: Record<SubjectName, Tally> = {
    floor: { records: 0, changes: 0 },
    product: { records: 0, changes: 0 },
  };

  async function run(name: SubjectName, round: number): Promise<Round> {
    const { server, token, store } = subjects[name];
    const work: RoundOrder["operation"] = round === 0 ? "seed" : operation;
    const useBefore = await store.use();
    const before = { server: server.cpuSeconds(), machine: machineSeconds() };
    const order = { ...options, port: server.port, token, operation: work, round };
    const report = await runRound(order);
    acknowledge(acknowledged[name], work, report.rows);
    const serverCpuSeconds = server.cpuSeconds() - before.server;
    const machine = machineSeconds() - before.machine;
    const use = await store.use();
    const databaseCpuSeconds = use.cpuSeconds - useBefore.cpuSeconds;
    const others = machine - serverCpuSeconds - databaseCpuSeconds - report.cpuSeconds;
    return {
      ...report,
      serverCpuSeconds,
      databaseCpuSeconds,
      statements: use.statements - useBefore.statements,
      othersShare: Math.max(0, others / (report.seconds * availableParallelism())),
    };
  }

  // Round 0 seeds, round 1 warms up; the others are measured.
  for (let round = 0; round < options.rounds + 2; round += 1) {
    for (const name of round % 2 === 0 ? subjectNames : subjectNames.toReversed()) {
      const measured = await run(name, round);
      if (round >= 2) rounds[name].push(measured);
    }
  }
  return { rounds, acknowledged };
}
