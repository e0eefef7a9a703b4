// `fuzz` sends unusual requests and compares the store with the replies. `fuzz-raw` sends them over raw sockets, many
// concurrently, and only evaluates the replies and the server.

import type { Campaign } from "../campaign/campaign.ts";
import { runFuzzCampaign } from "./fuzz-campaign.ts";
import { runRawCampaign } from "./raw-campaign.ts";

export const fuzz: Campaign = {
  about: "sends unusual requests, and compares the store with the replies",
  counts: "cases",
  countDefault: 20_000,
  engines: ["sqlite"],
  run: async ({ seed, countMax: casesMax, budgetMs, tell }) => {
    const onProgress = (done: number) => tell(`${done} cases`);
    const report = await runFuzzCampaign({ seed, casesMax, budgetMs, onProgress });
    const { findings, ...figures } = report;
    return { figures, findings };
  },
};

export const fuzzRaw: Campaign = {
  about: "sends unusual requests over raw sockets, many at once, and evaluates the replies",
  counts: "requests",
  countDefault: 100_000,
  engines: ["sqlite"],
  run: async ({ seed, countMax: requestsMax, budgetMs, tell }) => {
    const onProgress = (done: number) => tell(`${done} requests`);
    const report = await runRawCampaign({ seed, requestsMax, budgetMs, onProgress });
    const { findings, ...figures } = report;
    return { figures, findings };
  },
};
