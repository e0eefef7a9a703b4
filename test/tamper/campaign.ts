// `npm run tamper`: alters a store as often as requested, and reports which alterations `check` did
// not find and how to repeat them.

import { readCampaignOptions } from "../crash/campaign-options.ts";
import { runTamperCampaign } from "./tamper-campaign.ts";

const { seed, countMax, budgetMs } = readCampaignOptions("edits", 2_000);
const write = (line: string) => process.stdout.write(`${line}\n`);

write(`seed ${seed}; the same again: npm run tamper -- --seed ${seed} --edits <as many>`);
const { edits, missed } = await runTamperCampaign({
  seed,
  editsMax: countMax,
  budgetMs,
  onEdits: write,
});
for (const [kind, count] of Object.entries(edits)) write(`${count} ${kind}`);
for (const one of missed.slice(0, 50)) write(`MISSED ${one}`);
write(missed.length === 0 ? "each was found" : `${missed.length} missed, seed ${seed}`);
process.exitCode = missed.length === 0 ? 0 : 1;
