// What a campaign is: a test with random input that runs as long as requested, and again with the same input for the
// same seed.

export const engines = ["sqlite", "postgres"] as const;
export type Engine = (typeof engines)[number];

export interface CampaignRun {
  readonly seed: number;
  /** The campaign ends when it has done this much or this time is over; Infinity is no limit. */
  readonly countMax: number;
  readonly budgetMs: number;
  readonly engine: Engine;
  /** What else `amounts` of the campaign names, each at least as much as this. */
  readonly amounts?: Readonly<Record<string, number>>;
  /** The parts of the campaign to run; all where it is undefined. */
  readonly only?: readonly string[];
  readonly tell: (line: string) => void;
}

export interface CampaignOutcome<Figures extends object = object> {
  readonly figures: Figures;
  /** Empty if nothing is wrong. */
  readonly findings: readonly string[];
}

export interface Campaign<Figures extends object = object> {
  /** One line for the list of campaigns. */
  readonly about: string;
  /** What `--count` counts, and how much of it is done if neither it nor `--budget` is given. */
  readonly counts: string;
  readonly countDefault: number;
  /** Further options with an amount, and how much it is if the option is not given. */
  readonly amounts?: Readonly<Record<string, number>>;
  /** Further options without a value; one that is given is an amount of 1. */
  readonly flags?: readonly string[];
  /** Those on which it runs; the first is the default. */
  readonly engines: readonly Engine[];
  /** What `--only` takes. */
  readonly parts?: readonly string[];
  readonly run: (run: CampaignRun) => Promise<CampaignOutcome<Figures>>;
}

/** Whether a run that has done this much is over. Its time begins now. */
export function makeLimit({ countMax, budgetMs }: CampaignRun): (done: number) => boolean {
  const until = performance.now() + budgetMs;
  return (done) => done >= countMax || performance.now() >= until;
}

/** What an error is as a finding. */
export function findingOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
