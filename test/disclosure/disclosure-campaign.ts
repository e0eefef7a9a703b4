// Runs batches of scenarios until there are enough pairs, many in the same store, because starting a service takes longer. A batch
// during which the process was stopped is run again unless all of it is equal.

import { type Service, startService } from "../support/service.ts";
import {
  type Batch,
  type BatchReport,
  type Difference,
  pairsOfScenario,
  runBatch,
  serviceOptions,
} from "./batch.ts";
import { SuspensionWatch } from "./suspension.ts";
import { ConnectionLost } from "./wire.ts";

export interface DisclosureCampaign {
  /** Of the first scenario; the next ones have the next numbers. */
  readonly seed: number;
  /** Rounded up to whole scenarios. */
  readonly pairsMax: number;
  readonly budgetMs: number;
  /** Of the caller; otherwise services are started, one after another. */
  readonly service?: Service;
  readonly onProgress?: (report: DisclosureReport) => void;
  readonly onDifference?: (difference: Difference, batch: Batch) => void;
}

export interface DisclosureReport extends Omit<BatchReport, "differences"> {
  readonly pairs: number;
  /** Scenarios in which organizations differ. */
  readonly differences: number;
  /** Batches that were interrupted and run again. */
  readonly repeated: number;
}

/**
 * Scenarios that are processed together. More deletions than the service processes at once would be divided, and two of one
 * organization that were divided remove references in another order.
 */
const scenariosAtOnce = 8;
/** Then a new store is made, because statements take longer in a large one. */
const batchesOfStore = 125;
const attemptsMax = 5;
const differencesMax = 20;

/** Ends early after many differences. */
export async function runDisclosureCampaign(
  campaign: DisclosureCampaign,
): Promise<DisclosureReport> {
  const run = new CampaignRun(campaign);
  try {
    while (!run.isOver) await run.useStore();
    return run.report;
  } finally {
    run.stop();
  }
}

class CampaignRun {
  readonly #campaign: DisclosureCampaign;
  readonly #startedAt = performance.now();
  readonly #watch = new SuspensionWatch();
  #report: DisclosureReport = {
    scenarios: 0,
    pairs: 0,
    affected: 0,
    compared: 0,
    differences: 0,
    repeated: 0,
  };
  /** Of the next batch. */
  #attempt = 0;

  constructor(campaign: DisclosureCampaign) {
    this.#campaign = campaign;
  }

  get report(): DisclosureReport {
    return this.#report;
  }

  get isOver(): boolean {
    const { pairsMax, budgetMs } = this.#campaign;
    const { pairs, differences } = this.#report;
    if (pairs >= pairsMax || differences >= differencesMax) return true;
    return performance.now() - this.#startedAt >= budgetMs;
  }

  /** Runs batches in one store. After an interruption the next one gets a new store. */
  async useStore(): Promise<void> {
    const { service } = this.#campaign;
    const running = service ?? (await startService(serviceOptions));
    try {
      let isWhole = true;
      for (let done = 0; done < batchesOfStore && isWhole && !this.isOver; done += 1) {
        isWhole = await this.#runNext(running);
      }
    } finally {
      if (service === undefined) await running.stop();
    }
  }

  stop(): void {
    this.#watch.stop();
  }

  /** False if the batch was interrupted and has to be run again. */
  async #runNext(service: Service): Promise<boolean> {
    const { seed, pairsMax, onProgress, onDifference } = this.#campaign;
    const { scenarios: before, pairs, repeated } = this.#report;
    const left = Math.ceil((pairsMax - pairs) / pairsOfScenario);
    const scenarios = Math.min(scenariosAtOnce, left);
    const batch: Batch = { seed: seed + before, scenarios, attempt: this.#attempt };
    const done = await this.#attemptBatch(service, batch);
    if (done === undefined) {
      this.#attempt += 1;
      this.#report = { ...this.#report, repeated: repeated + 1 };
      return false;
    }
    this.#attempt = 0;
    this.#add(done);
    for (const difference of done.differences) onDifference?.(difference, batch);
    onProgress?.(this.#report);
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
      const pairs = batch.scenarios * pairsOfScenario;
      throw new Error(`the batch of --seed ${batch.seed} --pairs ${pairs} failed`, {
        cause: error,
      });
    }
  }

  #add({ scenarios, affected, compared, differences }: BatchReport): void {
    const before = this.#report;
    this.#report = {
      ...before,
      scenarios: before.scenarios + scenarios,
      pairs: before.pairs + scenarios * pairsOfScenario,
      affected: before.affected + affected,
      compared: before.compared + compared,
      differences: before.differences + differences.length,
    };
  }
}
