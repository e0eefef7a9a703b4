// `npm run crash:restore`: kills restores, replays, backups and moves at every disk step and every
// message to a server, or for as long as requested, and reports what it found and how to repeat it.

import { join } from "node:path";
import { startPostgres } from "../../support/postgres/postgres-server.ts";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";
import { readCampaignOptions } from "../campaign-options.ts";
import { makePostgresScene, moveToPostgres, replayOnPostgres } from "./postgres-scenarios.ts";
import { runRestoreCampaign } from "./restore-campaign.ts";
import { makeScene, placeIn } from "./scene.ts";
import { sqliteScenarios } from "./sqlite-scenarios.ts";

const { seed, countMax, budgetMs } = readCampaignOptions("kills", 10_000);
const write = (line: string) => process.stdout.write(`${line}\n`);

write(`seed ${seed}; the same again: npm run crash:restore -- --seed ${seed}`);
const folder = makeTempFolder();
const server = await startPostgres();
try {
  const [site, onServer] = [join(folder, "sqlite"), join(folder, "postgres")];
  await makeScene(placeIn(site));
  const before = await makePostgresScene(server, onServer);
  const scenarios = {
    ...sqliteScenarios(site),
    "replay on PostgreSQL": replayOnPostgres(server, onServer, before),
    move: moveToPostgres(server, site),
  };
  const killsMax = Math.min(countMax, 10_000);
  const report = await runRestoreCampaign(scenarios, { seed, killsMax, budgetMs, onKill: write });
  const { findings, kills, steps } = report;
  for (const [name, count] of Object.entries(steps)) write(`${count} steps of ${name}`);
  write(`${kills} kills`);
  for (const finding of findings.slice(0, 50)) write(`FOUND ${finding}`);
  write(findings.length === 0 ? "nothing was found" : `${findings.length} findings, seed ${seed}`);
  process.exitCode = findings.length === 0 ? 0 : 1;
} finally {
  await server.remove();
  removeFolder(folder);
}
