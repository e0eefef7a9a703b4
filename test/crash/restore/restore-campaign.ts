// Kills each command at its disk steps and at its messages to a server, one step after another or
// as many as time allows, each time starting from the same scene, and verifies what is left.

import { makeRandom, type Random } from "../../support/random.ts";
import type { Place } from "./scene.ts";
import { runAndKill } from "./shim.ts";

export interface Scenario {
  /**
   * Returns a copy of the scene that nobody else uses, in the state in which the command finds it.
   */
  readonly copy: () => Promise<Copy>;
  readonly words: (place: Place) => readonly string[];
  /** After a kill, or, with `killed` false, after the command has finished. */
  readonly verify: (place: Place, killed: boolean) => Promise<void>;
  /** Messages to a server are steps too. */
  readonly messages?: boolean;
}

export interface Copy {
  readonly place: Place;
  readonly remove: () => Promise<void> | void;
}

export interface RestoreCampaignOptions {
  readonly seed: number;
  /** For each command, spread over all of its steps. */
  readonly killsMax: number;
  readonly budgetMs: number;
  readonly onKill?: (line: string) => void;
}

export interface RestoreCampaignReport {
  readonly kills: number;
  /** By command. */
  readonly steps: Readonly<Record<string, number>>;
  readonly findings: readonly string[];
}

/** Stops at the first finding. */
export async function runRestoreCampaign(
  scenarios: Readonly<Record<string, Scenario>>,
  options: RestoreCampaignOptions,
): Promise<RestoreCampaignReport> {
  const until = performance.now() + options.budgetMs;
  const campaign = new Campaign(options);
  const plans = [];
  for (const [name, scenario] of Object.entries(scenarios)) {
    plans.push({ name, scenario, at: await campaign.plan(name, scenario) });
  }
  const rounds = Math.max(...plans.map(({ at }) => at.length));
  // In turn, so that a short campaign covers each command.
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, scenario, at } of plans) {
      const step = at[round];
      if (step === undefined) continue;
      if (performance.now() > until || campaign.findings.length > 0) return campaign.report();
      await campaign.kill(name, scenario, step);
    }
  }
  return campaign.report();
}

class Campaign {
  readonly findings: string[] = [];
  readonly #options: RestoreCampaignOptions;
  readonly #random: Random;
  readonly #steps: Record<string, number> = {};
  #kills = 0;

  constructor(options: RestoreCampaignOptions) {
    this.#options = options;
    this.#random = makeRandom(options.seed);
  }

  report(): RestoreCampaignReport {
    return { kills: this.#kills, steps: this.#steps, findings: this.findings };
  }

  /** Runs to the end once, and returns the steps at which to kill. */
  async plan(name: string, scenario: Scenario): Promise<readonly number[]> {
    let count = 0;
    await this.#inCopy(`${name}, to its end`, scenario, async (place) => {
      const { code, err, out, steps } = await runIn(scenario, place, 0);
      if (code !== 0) throw new Error(`ended with ${code}: ${err}${out}`);
      count = steps.length;
      await scenario.verify(place, false);
    });
    this.#steps[name] = count;
    const all = Array.from({ length: count }, (_, index) => index + 1);
    return spread(all, this.#options.killsMax, this.#random);
  }

  async kill(name: string, scenario: Scenario, at: number): Promise<void> {
    await this.#inCopy(`${name}, killed at step ${at}`, scenario, async (place) => {
      const { killed, code, err, steps } = await runIn(scenario, place, at);
      this.#options.onKill?.(`${name} ${at}: ${steps.at(-1) ?? ""}`);
      // The steps differ slightly from run to run; past the last one the command finishes.
      if (!killed && code !== 0) throw new Error(`ended with ${code}: ${err}`);
      if (killed) this.#kills += 1;
      await scenario.verify(place, killed);
    });
  }

  async #inCopy(
    what: string,
    { copy }: Scenario,
    work: (place: Place) => Promise<void>,
  ): Promise<void> {
    const { place, remove } = await copy();
    try {
      await work(place);
    } catch (error) {
      const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.findings.push(`${what}: ${why}`);
    } finally {
      await remove();
    }
  }
}

function runIn({ words, messages = false }: Scenario, place: Place, at: number) {
  const { environment, root: folder } = place;
  return runAndKill({ words: words(place), environment, folder, messages }, at);
}

/** The given number of steps, from all over the list, in random order. */
function spread(all: readonly number[], count: number, random: Random): readonly number[] {
  if (count >= all.length) return shuffle(all, random);
  const size = all.length / count;
  const picked = Array.from({ length: count }, (_, index) => {
    const at = Math.min(all.length - 1, Math.floor((index + random.next()) * size));
    return all[at] ?? 1;
  });
  return shuffle(picked, random);
}

function shuffle(all: readonly number[], random: Random): readonly number[] {
  const left = [...all];
  const shuffled: number[] = [];
  while (left.length > 0) shuffled.push(...left.splice(random.integer(0, left.length - 1), 1));
  return shuffled;
}
