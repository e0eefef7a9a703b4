// Kills commands that close organizations, and runs them beside one another, and verifies that no record is lost.

import type { Campaign, CampaignOutcome, CampaignRun } from "../../campaign/campaign.ts";
import { startPostgres } from "../../support/postgres/postgres-server.ts";
import { runClosingCampaign } from "./closing-campaign.ts";

export const crashClosing: Campaign = {
  about: "kills closings of organizations, runs several at once, and verifies their exports",
  counts: "closings",
  countDefault: 20,
  engines: ["sqlite", "postgres"],
  run: closeMany,
};

async function closeMany({ engine, ...run }: CampaignRun): Promise<CampaignOutcome> {
  const server = engine === "postgres" ? await startPostgres() : undefined;
  try {
    const { findings, ...figures } = await runClosingCampaign({
      seed: run.seed,
      closingsMax: run.countMax,
      budgetMs: run.budgetMs,
      databaseUrl: await server?.makeDatabase(),
      onClosing: run.tell,
    });
    return { figures, findings };
  } finally {
    await server?.remove();
  }
}
