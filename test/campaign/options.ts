// The options of every campaign: `--seed N`, `--budget SECONDS` or `--minutes N`, `--count N`, `--engine NAME`,
// `--only NAMES`, and further amounts of a campaign.

import { parseArgs } from "node:util";
import type { Campaign, CampaignRun } from "./campaign.ts";

/** Throws TypeError with a message for whoever typed them if any is invalid. */
export function readCampaignOptions(
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
