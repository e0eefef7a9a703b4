// Kills a server under load, on PostgreSQL also its database server, and compares the store with the replies.

import type { Campaign } from "../campaign/campaign.ts";
import { runCrashCampaign } from "./crash-campaign.ts";
import { runPostgresCampaign } from "./postgres/crash-campaign.ts";

export const crash: Campaign = {
  about: "kills a server under load, and compares the store with the replies",
  counts: "kills",
  countDefault: 25,
  engines: ["sqlite", "postgres"],
  run: async ({ seed, countMax: killsMax, budgetMs, engine, tell: onRound }) => {
    const run = engine === "sqlite" ? runCrashCampaign : runPostgresCampaign;
    const { findings, ...figures } = await run({ seed, killsMax, budgetMs, onRound });
    return { figures, findings };
  },
};
