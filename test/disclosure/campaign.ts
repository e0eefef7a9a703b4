// `npm run disclosure`: random scenarios, each in organizations that differ only in confidential records. Every two of them are a
// pair. Reports each scenario of which a caller without the scope gets anything different, and how to run it again. With --timing, measures whether a report makes a deletion or
// the reply with its status slower. `--engine postgres` runs either on a PostgreSQL server.

import { readCampaignOptions } from "../crash/campaign-options.ts";
import { pairsOfScenario } from "./batch.ts";
import { type DisclosureReport, runDisclosureCampaign } from "./disclosure-campaign.ts";
import { type PostgresServer, startPostgres } from "../support/postgres/postgres-server.ts";
import { useStores } from "../support/service.ts";
import { preferMemory } from "../support/temp-folder.ts";
import type { RankStatistic } from "./rank-statistic.ts";
import { measureTiming } from "./timing.ts";

const options = readCampaignOptions("pairs", 10_000, ["timing"]);
const { seed, countMax: pairsMax, budgetMs, engine = "sqlite" } = options;
/** Between two lines of progress. */
const progressMs = 20_000;
const write = (line: string) => void process.stdout.write(`${line}\n`);

function tell(line: string): void {
  process.stderr.write(`${new Date().toISOString()} ${line}\n`);
}

async function compare(): Promise<void> {
  const again = (first: number, scenarios: number) =>
    `npm run disclosure -- --seed ${first} --pairs ${scenarios * pairsOfScenario} --engine ${engine}`;
  const startedAt = performance.now();
  let toldAt = startedAt;
  tell(`${pairsMax} pairs, seed ${seed}, ${engine}`);
  const report = await runDisclosureCampaign({
    seed,
    pairsMax,
    budgetMs,
    onProgress: (so) => {
      if (performance.now() - toldAt < progressMs) return;
      toldAt = performance.now();
      tell(`${countPairs(so)}, ${describeSpeed(so.pairs, startedAt)}`);
    },
    onDifference: ({ seed: own, world, part, texts }, batch) => {
      tell(`seed ${own}, organization ${world} differs at part ${part}:\n  ${texts.join("\n  ")}`);
      tell(`again: ${again(own, 1)}`);
      tell(`again, among the same others: ${again(batch.seed, batch.scenarios)}`);
    },
  });
  const { compared, affected, differences } = report;
  write(
    `seed ${seed}, ${engine}: ${countPairs(report)}; ${compared} parts of replies, receipts and exports were compared; ` +
      `${affected} deletions affected confidential records; ` +
      describeSpeed(report.pairs, startedAt),
  );
  if (differences > 0) process.exitCode = 1;
}

function countPairs({ pairs, scenarios, differences, repeated }: DisclosureReport): string {
  return `${pairs} pairs (${scenarios} scenarios), ${differences} differences, ${repeated} batches repeated`;
}

function describeSpeed(pairs: number, startedAt: number): string {
  const { user, system } = process.cpuUsage();
  const perSecond = pairs / ((performance.now() - startedAt) / 1_000);
  const eachMs = (user + system) / 1_000 / pairs;
  return `${perSecond.toFixed(1)} pairs per second, ${eachMs.toFixed(1)} ms of processor time each`;
}

async function measure(): Promise<void> {
  const { pairs, completion, reply, medianMs } = await measureTiming({ seed, pairsMax, budgetMs });
  write(`${pairs} persons without and ${pairs} with a report, in turns (Mann-Whitney U)`);
  write(`completion, median ${medianMs.completion.toFixed(2)} ms: ${describe(completion)}`);
  write(`status, median ${medianMs.reply.toFixed(2)} ms: ${describe(reply)}`);
}

function describe({ superiority, deviations }: RankStatistic): string {
  return (
    `one with a report is slower with a probability of ${superiority.toFixed(3)} ` +
    `(0.5: not distinguishable), ${deviations.toFixed(1)} standard deviations`
  );
}

/** From now on services have their stores on this engine. */
async function useEngine(): Promise<PostgresServer | undefined> {
  if (engine === "sqlite") {
    // Times are measured where the store has to wait for the disk, as in service.
    if (!options.flags.has("timing")) preferMemory();
    return undefined;
  }
  if (engine !== "postgres") {
    throw new TypeError(`--engine must be sqlite or postgres, but is "${engine}"`);
  }
  const server = await startPostgres();
  useStores(async () => ({ DATABASE_URL: await server.makeDatabase() }));
  return server;
}

const postgres = await useEngine();
await (options.flags.has("timing") ? measure() : compare());
await postgres?.remove();
