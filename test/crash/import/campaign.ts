// `npm run crash:import`: kills importers as often as requested, has them resume, and reports what
// it found and how to repeat it.

import { readCampaignOptions } from "../campaign-options.ts";
import { runImportCampaign } from "./import-campaign.ts";

const { seed, countMax, budgetMs } = readCampaignOptions("kills", 20);
const write = (line: string) => process.stdout.write(`${line}\n`);

write(
  `seed ${seed}; the same files again: npm run crash:import -- --seed ${seed} --kills <as many>`,
);
const { findings, ...figures } = await runImportCampaign({
  seed,
  killsMax: countMax,
  budgetMs,
  rows: 20_000,
  onRound: write,
});
write(
  Object.entries(figures)
    .map(([name, figure]) => `${name} ${figure}`)
    .join(", "),
);
for (const finding of findings.slice(0, 50)) write(`FOUND ${finding.slice(0, 1_000)}`);
write(findings.length === 0 ? "nothing was found" : `${findings.length} findings, seed ${seed}`);
process.exitCode = findings.length === 0 ? 0 : 1;
