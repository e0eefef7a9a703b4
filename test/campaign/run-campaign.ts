// Runs the campaign that a command line names, and reports what it found and how to repeat it.

import type { Campaign } from "./campaign.ts";
import { readCampaignOptions } from "./options.ts";

const findingsMax = 50;
const findingLengthMax = 2_000;

/** Returns the exit code: 0 if nothing was found, 1 if anything was, 2 for a wrong command line. */
export async function runCampaign(
  campaigns: Readonly<Record<string, Campaign>>,
  [name, ...words]: readonly string[],
  tell: (line: string) => void,
): Promise<number> {
  if (name === undefined) {
    tell(renderList(campaigns));
    return 0;
  }
  const campaign = Object.hasOwn(campaigns, name) ? campaigns[name] : undefined;
  if (campaign === undefined) {
    tell(`there is no campaign "${name}"\n${renderList(campaigns)}`);
    return 2;
  }
  const options = readOrExplain(() => readCampaignOptions(words, campaign), tell);
  if (options === undefined) return 2;
  const { seed } = options;
  const seeded = words.some((word) => word.startsWith("--seed")) ? [] : ["--seed", seed];
  tell(`the same again: npm run campaign -- ${[name, ...words, ...seeded].join(" ")}`);
  const { figures, findings } = await campaign.run({ ...options, tell });
  tell(Object.entries(figures).map(renderFigure).join(", "));
  for (const one of findings.slice(0, findingsMax)) tell(`FOUND ${one.slice(0, findingLengthMax)}`);
  tell(findings.length === 0 ? "nothing was found" : `${findings.length} findings, seed ${seed}`);
  return findings.length === 0 ? 0 : 1;
}

function readOrExplain<Read>(read: () => Read, tell: (line: string) => void): Read | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    tell(error.message);
    return undefined;
  }
}

function renderList(campaigns: Readonly<Record<string, Campaign>>): string {
  const rows = Object.entries(campaigns).map(([name, campaign]) => {
    const { about, counts, countDefault, engines, amounts = {}, flags = [] } = campaign;
    const others = Object.entries(amounts).map(([what, amount]) => `--${what} ${amount}, `);
    const more = flags.map((flag) => ` [--${flag}]`).join("");
    const amount = `--count ${countDefault} ${counts}, ${others.join("")}--engine ${engines.join("|")}${more}`;
    return `  ${name.padEnd(18)} ${about}\n${" ".repeat(21)}${amount}`;
  });
  return `npm run campaign -- NAME [--seed N] [--budget SECONDS | --minutes N] [--count N] [--engine NAME] [--only NAMES]\n${rows.join("\n")}`;
}

function renderFigure([name, figure]: readonly [string, unknown]): string {
  return `${name} ${typeof figure === "string" ? figure : JSON.stringify(figure)}`;
}
