// `npm run fuzz`: sends as many unusual requests as requested, and reports what it found and how to
// repeat it. With `--requests` they are sent over raw sockets, many concurrently, and only the
// replies and the server are evaluated.

import { parseArgs } from "node:util";
import { readCampaignOptions } from "../crash/campaign-options.ts";
import { runFuzzCampaign } from "./fuzz-campaign.ts";
import { runRawCampaign } from "./raw-campaign.ts";

const { values } = parseArgs({ options: { requests: { type: "string" } }, strict: false });
const write = (line: string) => void process.stdout.write(`${line}\n`);
const findings = await (values["requests"] === undefined ? sendCases() : sendRaw());
for (const finding of findings) write(`FOUND ${finding}`);
write(findings.length === 0 ? "nothing was found" : `${findings.length} findings`);
process.exitCode = findings.length === 0 ? 0 : 1;

async function sendCases(): Promise<readonly string[]> {
  const { seed, countMax, budgetMs } = readCampaignOptions("cases", 20_000);
  write(`seed ${seed}; one case again: npm run fuzz -- --seed <seed of the case> --cases 1`);
  const report = await runFuzzCampaign({
    seed,
    casesMax: countMax,
    budgetMs,
    onProgress: (done) => write(`${done} cases`),
  });
  const { cases, records, byStatus } = report;
  write(
    `${cases} cases, ${records} records accepted, replies by status ${JSON.stringify(byStatus)}`,
  );
  return report.findings;
}

async function sendRaw(): Promise<readonly string[]> {
  const { seed, countMax, budgetMs } = readCampaignOptions("requests", 100_000);
  write(`seed ${seed}; one again: npm run fuzz -- --seed <seed of the connection> --requests 1`);
  const { findings: found, ...figures } = await runRawCampaign({
    seed,
    requestsMax: countMax,
    budgetMs,
    onProgress: (done) => write(`${done} requests`),
  });
  write(JSON.stringify(figures));
  return found;
}
