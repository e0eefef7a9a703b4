// Random graphs of records, retention floors, holds, deletions and closed organizations, compared with a model while
// the clock is moved, in batches, each in the same store. Ends at the first graph that differs, with an error that has
// the number of the graph, which is its seed.

import { join } from "node:path";
import {
  type Campaign,
  type CampaignOutcome,
  type CampaignRun,
  makeLimit,
} from "../campaign/campaign.ts";
import { type MakeDatabase, withDatabases } from "../support/database-maker.ts";
import { makeTempFolder, preferMemory, removeFolder } from "../support/temp-folder.ts";
import { type GraphFigures, runGraphs } from "./campaign-of-graphs.ts";
import { openTestStore } from "../support/test-store.ts";

interface Figures extends GraphFigures {
  readonly graphs: number;
}

export const retention: Campaign<Figures> = {
  about: "compares floors, ceilings, holds and deletions of random graphs of records with a model",
  counts: "graphs",
  countDefault: 10_000,
  engines: ["sqlite", "postgres"],
  run: (run) => {
    if (run.engine === "sqlite") preferMemory();
    return withDatabases(run.engine, (makeDatabase) => compareGraphs(run, makeDatabase));
  },
};

/** Organizations that share a store at a time: on PostgreSQL fewer, because a budget can't end a batch. */
const graphsAtOnce = { sqlite: 1_000, postgres: 100 };
/** Then a new store is made, because the time to scan a store grows with its size. */
const batchesOfStore = 4;

async function compareGraphs(
  run: CampaignRun,
  makeDatabase: MakeDatabase | undefined,
): Promise<CampaignOutcome<Figures>> {
  const isOver = makeLimit(run);
  let figures: Figures = {
    graphs: 0,
    deletions: 0,
    waited: 0,
    expired: 0,
    closed: 0,
    restricted: 0,
    left: 0,
  };
  while (!isOver(figures.graphs)) {
    const folder = makeTempFolder();
    const url = (await makeDatabase?.()) ?? `sqlite:${join(folder, "sluice.db")}`;
    const store = await openTestStore(url, { role: "serve" });
    try {
      for (let batch = 0; batch < batchesOfStore && !isOver(figures.graphs); batch += 1) {
        const count = Math.min(graphsAtOnce[run.engine], run.countMax - figures.graphs);
        const from = run.seed + figures.graphs;
        const seeds = Array.from({ length: count }, (_, index) => from + index);
        const found = await runGraphs({ store, seeds });
        const sum = (name: keyof GraphFigures) => figures[name] + found[name];
        figures = {
          graphs: figures.graphs + count,
          deletions: sum("deletions"),
          waited: sum("waited"),
          expired: sum("expired"),
          closed: sum("closed"),
          restricted: sum("restricted"),
          left: sum("left"),
        };
        run.tell(`${figures.graphs} graphs`);
      }
    } finally {
      await store.close();
      removeFolder(folder);
    }
  }
  return { figures, findings: [] };
}
