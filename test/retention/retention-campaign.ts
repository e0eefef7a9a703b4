// Runs random graphs in batches, each in the same store, until there were enough of them.

import { join } from "node:path";
import { openStore } from "../../src/store/open-store.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { type GraphFigures, runGraphs } from "./campaign-of-graphs.ts";

export interface RetentionCampaign {
  /** Of the first graph; the next ones have the next numbers. */
  readonly seed: number;
  readonly graphsMax: number;
  readonly budgetMs: number;
  /** For another engine than SQLite: returns the URL of an empty database. */
  readonly makeDatabase?: (() => Promise<string>) | undefined;
  readonly onProgress?: (done: number) => void;
}

export interface RetentionReport extends GraphFigures {
  readonly graphs: number;
}

/** Organizations that share a store at a time. */
const graphsAtOnce = 1_000;
/** Then a new store is made, because the time to scan a store grows with its size. */
const batchesOfStore = 4;

/** Throws AssertionError that names the seed of the graph. */
export async function runRetentionCampaign(campaign: RetentionCampaign): Promise<RetentionReport> {
  const { seed, graphsMax, budgetMs, makeDatabase, onProgress } = campaign;
  const startedAt = performance.now();
  let report: RetentionReport = { graphs: 0, deletions: 0, waited: 0, closed: 0, restricted: 0 };
  while (report.graphs < graphsMax && performance.now() - startedAt < budgetMs) {
    const folder = makeTempFolder();
    const url = (await makeDatabase?.()) ?? `sqlite:${join(folder, "sluice.db")}`;
    const store = await openStore(url, { role: "serve" });
    try {
      for (let batch = 0; batch < batchesOfStore && report.graphs < graphsMax; batch += 1) {
        const count = Math.min(graphsAtOnce, graphsMax - report.graphs);
        const from = seed + report.graphs;
        const seeds = Array.from({ length: count }, (_, index) => from + index);
        const { deletions, waited, closed, restricted } = await runGraphs({ store, seeds });
        report = {
          graphs: report.graphs + count,
          deletions: report.deletions + deletions,
          waited: report.waited + waited,
          closed: report.closed + closed,
          restricted: report.restricted + restricted,
        };
        onProgress?.(report.graphs);
        if (performance.now() - startedAt >= budgetMs) break;
      }
    } finally {
      await store.close();
      removeFolder(folder);
    }
  }
  return report;
}
