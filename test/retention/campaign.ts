// `npm run retention`: random graphs of records, retention floors, holds and deletions, compared
// with a model while the clock is moved. Ends at the first graph that differs.

import { readCampaignOptions } from "../crash/campaign-options.ts";
import { runRetentionCampaign } from "./retention-campaign.ts";

const { seed, countMax, budgetMs } = readCampaignOptions("graphs", 10_000);
const write = (line: string) => void process.stdout.write(`${line}\n`);

write(`seed ${seed}; one graph again: npm run retention -- --seed <its number> --graphs 1`);
const { graphs, deletions, waited } = await runRetentionCampaign({
  seed,
  graphsMax: countMax,
  budgetMs,
  onProgress: (done) => write(`${done} graphs`),
});
write(
  `${graphs} graphs, ${deletions} deletions, of which ${waited} waited for a floor: none was early, none was late`,
);
