// Alters a store, and reports which alterations `check` did not find.

import type { Campaign } from "../campaign/campaign.ts";
import { runTamperCampaign } from "./tamper-campaign.ts";

export const tamper: Campaign = {
  about: "alters a store, and reports which alterations `check` did not find",
  counts: "alterations",
  countDefault: 2_000,
  engines: ["sqlite"],
  run: async ({ seed, countMax: editsMax, budgetMs, tell: onEdits }) => {
    const { edits, missed } = await runTamperCampaign({ seed, editsMax, budgetMs, onEdits });
    return { figures: edits, findings: missed };
  },
};
