// Random graphs of records, retention floors, holds, deletions and closed organizations, compared with a model while
// the clock is moved. Ends at the first graph that differs, with an error that has the number of the graph, which is
// its seed.

import type { Campaign } from "../campaign/campaign.ts";
import { withDatabases } from "../support/database-maker.ts";
import { preferMemory } from "../support/temp-folder.ts";
import { runRetentionCampaign } from "./retention-campaign.ts";

export const retention: Campaign = {
  about: "compares floors, holds and deletions of random graphs of records with a model",
  counts: "graphs",
  countDefault: 10_000,
  engines: ["sqlite", "postgres"],
  run: async ({ seed, countMax: graphsMax, budgetMs, engine, tell }) => {
    if (engine === "sqlite") preferMemory();
    const onProgress = (done: number) => tell(`${done} graphs`);
    const figures = await withDatabases(engine, (makeDatabase) =>
      runRetentionCampaign({ seed, graphsMax, budgetMs, makeDatabase, onProgress }),
    );
    return { figures: { ...figures }, findings: [] };
  },
};
