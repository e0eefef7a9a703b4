// Kills restores, replays, backups and moves at every disk step and every message to a server, and verifies what is left.

import { join } from "node:path";
import type { Campaign, CampaignOutcome, CampaignRun } from "../../campaign/campaign.ts";
import { startPostgres } from "../../support/postgres/postgres-server.ts";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";
import { makePostgresScene, moveToPostgres, replayOnPostgres } from "./postgres-scenarios.ts";
import { runRestoreCampaign } from "./restore-campaign.ts";
import { makeScene, placeIn } from "./scene.ts";
import { sqliteScenarios } from "./sqlite-scenarios.ts";

const killsOfCommandMax = 10_000;

export const crashRestore: Campaign = {
  about: "kills restores, replays, backups and moves at every step, and verifies what is left",
  counts: "kills of each command",
  countDefault: killsOfCommandMax,
  // It needs both in the same run, for the move.
  engines: ["sqlite"],
  run: killCommands,
};

async function killCommands({
  seed,
  countMax,
  budgetMs,
  tell: onKill,
}: CampaignRun): Promise<CampaignOutcome> {
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
    const killsMax = Math.min(countMax, killsOfCommandMax);
    const report = await runRestoreCampaign(scenarios, { seed, killsMax, budgetMs, onKill });
    const { findings, ...figures } = report;
    return { figures, findings };
  } finally {
    await server.remove();
    removeFolder(folder);
  }
}
