// The command line of a campaign: `--budget SECONDS` or a count, and `--seed N` to repeat a run.

import { parseArgs } from "node:util";

export interface CampaignOptions {
  readonly seed: number;
  /** Ends the campaign, whichever comes first; Infinity where it is not given. */
  readonly countMax: number;
  readonly budgetMs: number;
  /** For campaigns that run on more than one. */
  readonly engine: string | undefined;
  /** The flags that were given. */
  readonly flags: ReadonlySet<string>;
}

/**
 * `countName` is the option for the count, such as `kills`. Exits with an error message if an
 * option is invalid.
 */
export function readCampaignOptions(
  countName: string,
  countDefault: number,
  flagNames: readonly string[] = [],
): CampaignOptions {
  const flags = flagNames.map((name) => [name, { type: "boolean" }] as const);
  const { values } = parseArgs({
    options: {
      seed: { type: "string" },
      engine: { type: "string" },
      budget: { type: "string" },
      [countName]: { type: "string" },
      ...Object.fromEntries(flags),
    },
  });
  const given = values as Readonly<Record<string, string | undefined>>;
  const seed = wholeNumber("seed", given["seed"]) ?? Math.floor(Math.random() * 1_000_000);
  const budget = wholeNumber("budget", given["budget"]);
  const count = wholeNumber(countName, given[countName]);
  return {
    seed,
    countMax: count ?? (budget === undefined ? countDefault : Infinity),
    budgetMs: budget === undefined ? Infinity : budget * 1_000,
    engine: given["engine"],
    flags: new Set(flagNames.filter((name) => name in given)),
  };
}

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new TypeError(`--${name} must be a whole number, but is "${text}"`);
}
