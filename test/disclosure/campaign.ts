// Random scenarios, each in organizations that differ only in confidential records. Every two of them are a pair.
// Reports each scenario of which a caller without the scope gets anything different. Many share a store, because
// starting a service takes longer. A batch during which the process was stopped is run again unless all of it is equal.
// Notices that this process did not run for a while, because it was stopped, starved or its machine slept. Timeouts of
// the service have then passed in the middle of requests, so what it replied says nothing.

import {
  type Campaign,
  type CampaignOutcome,
  type CampaignRun,
  makeLimit,
} from "../campaign/campaign.ts";
import { withServicesOn } from "../support/database-maker.ts";
import { type Service, startService } from "../support/service.ts";
import { preferMemory } from "../support/temp-folder.ts";
import {
  type Batch,
  type BatchReport,
  type Difference,
  pairsOfScenario,
  runBatch,
  serviceOptions,
} from "./batch.ts";
import { ConnectionLost } from "./wire.ts";

interface Figures extends Record<keyof Omit<BatchReport, "differences">, number> {
  pairs: number;
  /** Batches that were interrupted and run again. */
  repeated: number;
}

export const disclosure: Campaign<Figures> = {
  about: "compares what callers get of organizations that differ only in confidential records",
  counts: "pairs",
  countDefault: 10_000,
  engines: ["sqlite", "postgres"],
  run: async (run) => {
    if (run.engine === "sqlite") preferMemory();
    return await withServicesOn(run.engine, () => compareOrganizations(run));
  },
};

/** Between two lines of progress. */
const progressMs = 20_000;
/**
 * Scenarios that are processed together. More deletions than the service processes at once would be divided, and two of
 * one organization that were divided remove references in another order.
 */
const scenariosAtOnce = 8;
/** Then a new store is made, because statements take longer in a large one. */
const batchesOfStore = 125;
const attemptsMax = 5;
const differencesMax = 20;

/** Ends early after many differences. `given`: of the caller; otherwise services are started, one after another. */
export async function compareOrganizations(
  run: CampaignRun,
  given?: Service,
): Promise<CampaignOutcome<Figures>> {
  const comparing = new Comparing(run);
  try {
    while (!comparing.isOver) await comparing.useStore(given);
    return comparing;
  } finally {
    comparing.stop();
  }
}

class Comparing implements CampaignOutcome<Figures> {
  readonly findings: string[] = [];
  readonly figures: Figures = { scenarios: 0, pairs: 0, affected: 0, compared: 0, repeated: 0 };
  readonly #run: CampaignRun;
  readonly #isOver: (done: number) => boolean;
  readonly #watch = new SuspensionWatch();
  #toldAt = performance.now();
  /** Of the next batch. */
  #attempt = 0;

  constructor(run: CampaignRun) {
    this.#run = run;
    this.#isOver = makeLimit(run);
  }

  get isOver(): boolean {
    return this.findings.length >= differencesMax || this.#isOver(this.figures.pairs);
  }

  /** Runs batches in one store. After an interruption the next one gets a new store. */
  async useStore(given: Service | undefined): Promise<void> {
    const service = given ?? (await startService(serviceOptions));
    try {
      let isWhole = true;
      for (let done = 0; done < batchesOfStore && isWhole && !this.isOver; done += 1) {
        isWhole = await this.#runNext(service);
      }
    } finally {
      if (given === undefined) await service.stop();
    }
  }

  stop(): void {
    this.#watch.stop();
  }

  /** False if the batch was interrupted and has to be run again. */
  async #runNext(service: Service): Promise<boolean> {
    const { seed, countMax } = this.#run;
    const left = Math.ceil((countMax - this.figures.pairs) / pairsOfScenario);
    const scenarios = Math.min(scenariosAtOnce, left);
    const batch: Batch = { seed: seed + this.figures.scenarios, scenarios, attempt: this.#attempt };
    const done = await this.#attemptBatch(service, batch);
    if (done === undefined) {
      this.#attempt += 1;
      this.figures.repeated += 1;
      return false;
    }
    this.#attempt = 0;
    this.#add(done);
    for (const difference of done.differences) this.findings.push(describe(difference, batch));
    this.#tell();
    return true;
  }

  /** Undefined if it was interrupted. */
  async #attemptBatch(service: Service, batch: Batch): Promise<BatchReport | undefined> {
    const suspensions = this.#watch.count;
    const isLast = batch.attempt + 1 >= attemptsMax;
    try {
      const done = await runBatch(service, batch);
      const isDoubtful = done.differences.length > 0 && this.#watch.count > suspensions;
      return isDoubtful && !isLast ? undefined : done;
    } catch (error) {
      const isLost = error instanceof ConnectionLost || this.#watch.count > suspensions;
      if (isLost && !isLast) return undefined;
      throw new Error(`the batch of ${optionsOf(batch)} failed`, { cause: error });
    }
  }

  #add({ scenarios, affected, compared }: BatchReport): void {
    this.figures.scenarios += scenarios;
    this.figures.pairs += scenarios * pairsOfScenario;
    this.figures.affected += affected;
    this.figures.compared += compared;
  }

  #tell(): void {
    if (performance.now() - this.#toldAt < progressMs) return;
    this.#toldAt = performance.now();
    this.#run.tell(JSON.stringify(this.figures));
  }
}

function optionsOf({ seed, scenarios }: Batch): string {
  return `--seed ${seed} --count ${scenarios * pairsOfScenario}`;
}

function describe({ seed, world, part, texts }: Difference, batch: Batch): string {
  return (
    `seed ${seed} (--count ${pairsOfScenario}; among the same others ${optionsOf(batch)}), ` +
    `organization ${world} differs at part ${part}:\n  ${texts.join("\n  ")}`
  );
}

/** Less than any timeout of the service, and more than the longest work that the event loop does at once. */
const gapMsMin = 4_000;
const intervalMs = 500;

class SuspensionWatch {
  readonly #timer: NodeJS.Timeout;
  #lastAt = performance.now();
  #count = 0;

  constructor() {
    this.#timer = setInterval(() => this.#observe(), intervalMs).unref();
  }

  /** How often this has happened so far. */
  get count(): number {
    this.#observe();
    return this.#count;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #observe(): void {
    const now = performance.now();
    if (now - this.#lastAt >= gapMsMin) this.#count += 1;
    this.#lastAt = now;
  }
}
