// `npm run crash:restore`: kills restores, replays and backups at every step on the disk, or for as long as asked, and says what it
// found and how to repeat it.

import { readCampaignOptions } from "../campaign-options.ts";
import { runRestoreCampaign } from "./restore-campaign.ts";

const { seed, countMax, budgetMs } = readCampaignOptions("kills", 10_000);
const write = (line: string) => process.stdout.write(`${line}\n`);

write(`seed ${seed}; the same again: npm run crash:restore -- --seed ${seed}`);
const { findings, kills, steps } = await runRestoreCampaign({
  seed,
  killsMax: Number.isFinite(countMax) ? countMax : 10_000,
  budgetMs,
  onKill: write,
});
for (const [name, count] of Object.entries(steps)) write(`${count} steps of ${name}`);
write(`${kills} kills`);
for (const finding of findings.slice(0, 50)) write(`FOUND ${finding}`);
write(findings.length === 0 ? "nothing was found" : `${findings.length} findings, seed ${seed}`);
process.exitCode = findings.length === 0 ? 0 : 1;
