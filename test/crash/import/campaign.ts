// Kills importers, has them resume, and compares the store with the files.

import type { Campaign } from "../../campaign/campaign.ts";
import { runImportCampaign } from "./import-campaign.ts";

const rows = 20_000;

export const crashImport: Campaign = {
  about: "kills importers, has them resume, and compares the store with the files",
  counts: "kills",
  countDefault: 20,
  engines: ["sqlite"],
  run: async ({ seed, countMax: killsMax, budgetMs, tell: onRound }) => {
    const report = await runImportCampaign({ seed, killsMax, budgetMs, rows, onRound });
    const { findings, ...figures } = report;
    return { figures, findings };
  },
};
