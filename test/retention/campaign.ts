// `npm run retention`: random graphs of records, retention floors, holds, deletions and closed organizations, compared with a
// model while the clock is moved. Ends at the first graph that differs. `--engine postgres` runs it on a PostgreSQL server.

import { readCampaignOptions } from "../crash/campaign-options.ts";
import { type PostgresServer, startPostgres } from "../support/postgres/postgres-server.ts";
import { preferMemory } from "../support/temp-folder.ts";
import { type RetentionCampaign, runRetentionCampaign } from "./retention-campaign.ts";

const { seed, countMax, budgetMs, engine = "sqlite" } = readCampaignOptions("graphs", 10_000);
let postgres: PostgresServer | undefined;
const write = (line: string) => void process.stdout.write(`${line}\n`);

write(`seed ${seed}; one graph again: npm run retention -- --seed <its number> --graphs 1`);
const { graphs, deletions, waited, closed, restricted } = await runRetentionCampaign({
  seed,
  graphsMax: countMax,
  budgetMs,
  makeDatabase: await prepare(engine),
  onProgress: (done) => write(`${done} graphs`),
});
write(
  `${graphs} graphs, ${deletions} deletions, of which ${waited} waited for a floor, ${closed} of whole organizations; ${restricted} restricted sets: ` +
    "none was early, none was late",
);
await postgres?.remove();

/** Undefined for SQLite. */
async function prepare(name: string): Promise<RetentionCampaign["makeDatabase"]> {
  if (name === "sqlite") {
    preferMemory();
    return undefined;
  }
  if (name !== "postgres")
    throw new TypeError(`--engine must be sqlite or postgres, but is "${name}"`);
  const server = (postgres = await startPostgres());
  return () => server.makeDatabase();
}
