// `npm run fuzz`: sends as many odd requests as asked, and says what it found and how to repeat it.

import { readCampaignOptions } from "../crash/campaign-options.ts";
import { runFuzzCampaign } from "./fuzz-campaign.ts";

const { seed, countMax, budgetMs } = readCampaignOptions("cases", 20_000);
const write = (line: string) => process.stdout.write(`${line}\n`);

write(`seed ${seed}; one case again: npm run fuzz -- --seed <seed of the case> --cases 1`);
const { findings, cases, records, byStatus } = await runFuzzCampaign({
  seed,
  casesMax: countMax,
  budgetMs,
  onProgress: (done) => write(`${done} cases`),
});
for (const finding of findings) write(`FOUND ${finding}`);
write(`${cases} cases, ${records} records accepted, replies by status ${JSON.stringify(byStatus)}`);
write(findings.length === 0 ? "nothing was found" : `${findings.length} findings, seed ${seed}`);
process.exitCode = findings.length === 0 ? 0 : 1;
