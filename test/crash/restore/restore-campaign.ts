// Kills each command at its steps on the disk, one step after another or as many as there is time for, each time from the same
// scene, and has what is left verified.

import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { makeRandom, type Random } from "../../support/random.ts";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";
import { makeScene, type Place, placeIn } from "./scene.ts";
import { type Scenario, scenarios } from "./scenarios.ts";
import { runAndKill } from "./shim.ts";

export interface RestoreCampaignOptions {
  readonly seed: number;
  /** Of each command, spread over all of its steps. */
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

export async function runRestoreCampaign(
  options: RestoreCampaignOptions,
): Promise<RestoreCampaignReport> {
  const until = performance.now() + options.budgetMs;
  const scene = makeTempFolder();
  const campaign = new Campaign(scene, options);
  try {
    await makeScene(placeIn(join(scene, "site")));
    const plans = [];
    for (const [name, scenario] of Object.entries(scenarios)) {
      plans.push({ name, scenario, at: await campaign.plan(name, scenario) });
    }
    // In turn, so that a short campaign meets each command.
    for (let round = 0; round < options.killsMax; round += 1) {
      for (const { name, scenario, at } of plans) {
        const step = at[round];
        if (step === undefined) continue;
        if (performance.now() > until || campaign.findings.length > 0) return campaign.report();
        await campaign.kill(name, scenario, step);
      }
    }
    return campaign.report();
  } finally {
    removeFolder(scene);
  }
}

class Campaign {
  readonly findings: string[] = [];
  readonly #scene: string;
  readonly #options: RestoreCampaignOptions;
  readonly #random: Random;
  readonly #steps: Record<string, number> = {};
  #kills = 0;

  constructor(scene: string, options: RestoreCampaignOptions) {
    this.#scene = scene;
    this.#options = options;
    this.#random = makeRandom(options.seed);
  }

  report(): RestoreCampaignReport {
    return { kills: this.#kills, steps: this.#steps, findings: this.findings };
  }

  /** Runs to the end once, and gives the steps at which to kill. */
  async plan(name: string, scenario: Scenario): Promise<readonly number[]> {
    let count = 0;
    await this.#inCopy(`${name}, to its end`, async (place) => {
      await scenario.prepare?.(place);
      const run = {
        words: scenario.words(place),
        environment: place.environment,
        folder: place.root,
      };
      const { code, err, out, steps } = await runAndKill(run, 0);
      if (code !== 0) throw new Error(`ended with ${code}: ${err}${out}`);
      count = steps.length;
      await scenario.verify(place, false);
    });
    this.#steps[name] = count;
    const all = Array.from({ length: count }, (_, index) => index + 1);
    return spread(all, this.#options.killsMax, this.#random);
  }

  async kill(name: string, scenario: Scenario, at: number): Promise<void> {
    await this.#inCopy(`${name}, killed at step ${at}`, async (place) => {
      await scenario.prepare?.(place);
      const run = {
        words: scenario.words(place),
        environment: place.environment,
        folder: place.root,
      };
      const { killed, code, err, steps } = await runAndKill(run, at);
      this.#options.onKill?.(`${name} ${at}: ${steps.at(-1) ?? ""}`);
      // The steps differ a little from run to run; past the last one it comes to its end.
      if (!killed && code !== 0) throw new Error(`ended with ${code}: ${err}`);
      if (killed) this.#kills += 1;
      await scenario.verify(place, killed);
    });
  }

  async #inCopy(what: string, work: (place: Place) => Promise<void>): Promise<void> {
    const root = makeTempFolder();
    try {
      const site = join(root, "site");
      mkdirSync(site);
      cpSync(join(this.#scene, "site"), site, { recursive: true });
      await work(placeIn(site));
      removeFolder(root);
    } catch (error) {
      const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.findings.push(`${what}: ${why}`);
      removeFolder(root);
    }
  }
}

/** As many as wanted, from all over the list, in no order. */
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
