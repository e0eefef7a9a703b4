// `npm run crash`: kills a server under load as often as requested, and reports what it found and
// how to repeat it.

import { readCampaignOptions } from "./campaign-options.ts";
import { runCrashCampaign } from "./crash-campaign.ts";

const { seed, countMax, budgetMs } = readCampaignOptions("kills", 25);
const write = (line: string) => process.stdout.write(`${line}\n`);

write(`seed ${seed}; the same load again: npm run crash -- --seed ${seed} --kills <as many>`);
const { findings, ...figures } = await runCrashCampaign({
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
