// Runs the campaign that a command line names, and reports what it found and how to repeat it. The options of every
// campaign: `--seed N`, `--budget SECONDS` or `--minutes N`, `--count N`, `--engine NAME`, `--only NAMES`, and further
// amounts of a campaign.

import { parseArgs } from "node:util";
import type { Campaign, CampaignRun } from "./campaign.ts";

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

/** Throws TypeError with a message for whoever typed them if any is invalid. */
function readCampaignOptions(
  words: readonly string[],
  { countDefault, engines, parts = [], amounts = {}, flags = [] }: Campaign,
): Omit<CampaignRun, "tell"> {
  const text = { type: "string" } as const;
  const options = {
    seed: text,
    budget: text,
    minutes: text,
    count: text,
    engine: text,
    only: text,
    ...Object.fromEntries(Object.keys(amounts).map((name) => [name, text])),
    ...Object.fromEntries(flags.map((name) => [name, { type: "boolean" } as const])),
  };
  const { values } = parseArgs({ args: [...words], options });
  const given = values as Readonly<Record<string, string | undefined>>;
  const minutes = wholeNumber("minutes", values.minutes);
  const budget = wholeNumber("budget", values.budget) ?? (minutes && minutes * 60);
  const only = values.only?.split(",").map((name) => oneOf("only", parts, name));
  return {
    seed: wholeNumber("seed", values.seed) ?? Math.floor(Math.random() * 1_000_000),
    countMax:
      wholeNumber("count", values.count) ?? (budget === undefined ? countDefault : Infinity),
    budgetMs: (budget ?? Infinity) * 1_000,
    engine: oneOf("engine", engines, values.engine ?? engines[0] ?? "sqlite"),
    amounts: Object.fromEntries([
      ...Object.entries(amounts).map(([name, usual]) => [
        name,
        wholeNumber(name, given[name]) ?? usual,
      ]),
      ...flags.map((name) => [name, name in given ? 1 : 0]),
    ]) as Readonly<Record<string, number>>,
    ...(only === undefined ? {} : { only }),
  };
}

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new TypeError(`--${name} must be a whole number, but is "${text}"`);
}

function oneOf<Name extends string>(option: string, names: readonly Name[], text: string): Name {
  const found = names.find((name) => name === text);
  if (found !== undefined) return found;
  const known = names.length === 0 ? "cannot be used here" : `must be of ${names.join(", ")}`;
  throw new TypeError(`--${option} ${known}, but is "${text}"`);
}
