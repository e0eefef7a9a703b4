// `npm run bench -- tails`: how long single adds take while the same organization sends lists or a stream; and alone,
// compared with the floor. Every round has two load generators: one for single adds, one for the other load. Sets no
// threshold for a figure.

import { request } from "node:http";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { median } from "../test/support/median.ts";
import { type Generator, startGenerator } from "./generator.ts";
import type { RoundReport } from "./load.ts";
import { makeRequests } from "./requests.ts";
import { type Subject, withSubjects } from "./subjects.ts";

const usage = `usage: npm run bench -- tails [options]
  --engine NAME sqlite or postgres (sqlite)
  --rounds N    measured rounds of each scenario (5)
  --seconds S   length of a round (4)
`;

interface Round {
  readonly subject: Subject;
  readonly round: number;
  readonly seconds: number;
  readonly singles: Generator;
  readonly beside: Generator;
}

interface Result {
  readonly singles: RoundReport;
  /** Records per second of the other load. */
  readonly besidePerSecond: number;
}

const scenarios: Readonly<Record<string, (round: Round) => Promise<Result>>> = {
  "8 connections": (round) => runSingles(round, 8),
  "64 connections": (round) => runSingles(round, 64),
  "8 with 4 that send lists of 1,000": runBesideLists,
  "8 with a stream": runBesideStream,
};

async function runSingles({ singles, ...round }: Round, connections: number): Promise<Result> {
  return { singles: await singles.runRound(orderOf(round, connections)), besidePerSecond: 0 };
}

async function runBesideLists({ singles, beside, ...round }: Round): Promise<Result> {
  const lists = beside.runRound({
    ...orderOf({ ...round, round: round.round + 100_000 }, 4),
    operation: "batch",
    itemsOfList: 1_000,
  });
  const report = await singles.runRound(orderOf(round, 8));
  const { rows, seconds } = await lists;
  return { singles: report, besidePerSecond: rows / seconds };
}

async function runBesideStream({ singles, ...round }: Round): Promise<Result> {
  const streamed = stream(round);
  const report = await singles.runRound(orderOf(round, 8));
  return { singles: report, besidePerSecond: (await streamed) / round.seconds };
}

function orderOf(
  { subject, round, seconds }: Omit<Round, "singles" | "beside">,
  connections: number,
) {
  const { server, token } = subject;
  return {
    port: server.port,
    token,
    operation: "add",
    ids: "ordered",
    round,
    seconds,
    connections,
  } as const;
}

/** Sends lines for the whole round, as fast as the server reads them; returns the number stored. */
async function stream({
  subject,
  round,
  seconds,
}: Omit<Round, "singles" | "beside">): Promise<number> {
  const { server, token } = subject;
  const next = makeRequests("add", { ids: "ordered", round: round + 200_000, token });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sent = request({
    port: server.port,
    method: "POST",
    path: "/v2/transactions/batch",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/x-ndjson" },
  });
  sent.on("error", reject).on("response", (reply) => {
    let text = "";
    reply.setEncoding("utf8").on("data", (part: string) => (text += part));
    reply.on("end", () => {
      const summary: unknown = JSON.parse(text.trim().split("\n").at(-1) ?? "");
      resolve(Number((summary as { write_count?: number }).write_count));
    });
  });
  const until = performance.now() + seconds * 1_000;
  const write = () => {
    while (performance.now() < until) {
      const lines = Array.from({ length: 100 }, () => `${next().split("\r\n\r\n")[1]}\n`);
      if (!sent.write(lines.join(""))) {
        sent.once("drain", write);
        return;
      }
    }
    sent.end();
  };
  write();
  return promise;
}

async function measure(
  subject: Subject,
  names: readonly string[],
  options: { rounds: number; seconds: number },
) {
  const [singles, beside] = [startGenerator(), startGenerator()];
  const lines: (readonly [name: string, ...figures: number[]])[] = [];
  let round = subject.name === "floor" ? 0 : 10_000;
  try {
    for (const name of names) {
      const results: Result[] = [];
      // The first round warms up.
      for (let count = 0; count <= options.rounds; count += 1) {
        const { seconds } = options;
        const result = await scenarios[name]?.({
          subject,
          round: (round += 1),
          seconds,
          singles,
          beside,
        });
        if (result !== undefined && count > 0) results.push(result);
      }
      lines.push([
        `${subject.name}, ${name}`,
        median(results.map((result) => result.singles.p50Ms)),
        median(results.map((result) => result.singles.p99Ms)),
        median(results.map((result) => result.singles.p999Ms)),
        median(results.map((result) => result.singles.rows / result.singles.seconds)),
        median(results.map(({ besidePerSecond }) => besidePerSecond)),
      ]);
    }
  } finally {
    singles.stop();
    beside.stop();
  }
  return lines;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      engine: { type: "string", default: "sqlite" },
      rounds: { type: "string", default: "5" },
      seconds: { type: "string", default: "4" },
    },
  });
  const options = { rounds: Number(values.rounds), seconds: Number(values.seconds) };
  if (!(options.rounds > 0 && options.seconds > 0)) throw new Error(usage);
  await withSubjects(values.engine, async ({ floor, product }) => {
    const lines = [
      ...(await measure(floor, ["8 connections", "64 connections"], options)),
      ...(await measure(product, Object.keys(scenarios), options)),
    ];
    process.stdout.write(
      `Single adds on ${values.engine}, medians of ${options.rounds} rounds of ${options.seconds} s, ${availableParallelism()} cores that all processes share.\n\n` +
        "| scenario | p50 ms | p99 ms | p99.9 ms | adds per second | other records per second |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    for (const [name, ...figures] of lines) {
      const [p50 = 0, p99 = 0, p999 = 0, rate = 0, beside = 0] = figures;
      const latencies = [p50, p99, p999].map((ms) => ms.toFixed(1));
      const cells = [name, ...latencies, rate.toFixed(0), beside.toFixed(0)];
      process.stdout.write(`| ${cells.join(" | ")} |\n`);
    }
  });
}

await main();
