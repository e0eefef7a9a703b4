// `npm run disclosure`: random scenarios, each in two organizations that differ only in confidential records. Ends at the first
// pair of which a caller without the scope gets anything different. With --timing, measures whether a report makes a deletion or
// the reply with its status slower. `--engine postgres` runs either on a PostgreSQL server.

import { readCampaignOptions } from "../crash/campaign-options.ts";
import { runDisclosureCampaign } from "./disclosure-campaign.ts";
import { type PostgresServer, startPostgres } from "../support/postgres/postgres-server.ts";
import { useStores } from "../support/service.ts";
import { preferMemory } from "../support/temp-folder.ts";
import type { RankStatistic } from "./rank-statistic.ts";
import { measureTiming } from "./timing.ts";

const options = readCampaignOptions("pairs", 10_000, ["timing"]);
const { seed, countMax: pairsMax, budgetMs, engine = "sqlite" } = options;
const write = (line: string) => void process.stdout.write(`${line}\n`);

async function compare(): Promise<void> {
  write(`seed ${seed}; one pair again: npm run disclosure -- --seed <its number> --pairs 1`);
  const onProgress = (done: number) => write(`${done} pairs`);
  const campaign = { seed, pairsMax, budgetMs, onProgress };
  const { pairs, affected, compared } = await runDisclosureCampaign(campaign);
  write(
    `${pairs} pairs, ${affected} deletions that affected confidential records: ${compared} parts of replies, receipts and ` +
      "exports are equal",
  );
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
