// `node test/crash/postgres/campaign.ts`: kills processes and their PostgreSQL server under load as
// often as requested, and reports what it found and how to repeat it.

import { readCampaignOptions } from "../campaign-options.ts";
import { runPostgresCampaign } from "./crash-campaign.ts";

const { seed, countMax, budgetMs } = readCampaignOptions("kills", 12);
const write = (line: string) => process.stdout.write(`${line}\n`);

write(`seed ${seed}`);
const { findings, ...figures } = await runPostgresCampaign({
  seed,
  killsMax: countMax,
  budgetMs,
  onRound: write,
});
write(
  Object.entries(figures)
    .map(([name, figure]) => `${name} ${figure}`)
    .join(", "),
);
for (const finding of findings.slice(0, 50)) write(`FOUND ${finding}`);
write(findings.length === 0 ? "nothing was found" : `${findings.length} findings, seed ${seed}`);
process.exitCode = findings.length === 0 ? 0 : 1;
