// Kills importers repeatedly, over HTTP and on the file itself, has them resume, and compares the store with the files.
// Stops at the first round in which anything was found.

import {
  type Campaign,
  type CampaignOutcome,
  type CampaignRun,
  makeLimit,
} from "../../campaign/campaign.ts";
import { makeRandom } from "../../support/random.ts";
import { formats } from "./input.ts";
import { entryPoints } from "./place.ts";
import { type RoundFigures, runRound } from "./round.ts";

interface Figures extends RoundFigures {
  rounds: number;
}

/** In turn, so that a short campaign covers each. */
const ways = formats.flatMap((format) => entryPoints.map((entryPoint) => ({ entryPoint, format })));
const killsPerRound = 4;

export const crashImport: Campaign<Figures> = {
  about: "kills importers, has them resume, and compares the store with the files",
  counts: "kills",
  countDefault: 20,
  engines: ["sqlite"],
  run: (run) => killImporters(run, 20_000),
};

/** `rows`: in each file. */
export async function killImporters(
  run: CampaignRun,
  rows: number,
): Promise<CampaignOutcome<Figures>> {
  const isOver = makeLimit(run);
  const findings: string[] = [];
  const figures: Figures = { ...noFigures };
  while (!isOver(figures.kills) && findings.length === 0) {
    const way = ways[figures.rounds % ways.length] ?? { entryPoint: "http", format: "csv" };
    figures.rounds += 1;
    const random = makeRandom(run.seed * 1_000 + figures.rounds);
    const killsMax = Math.min(killsPerRound, run.countMax - figures.kills);
    findings.push(...(await runRound({ ...way, rows, killsMax, random, figures })));
    run.tell(
      `round ${figures.rounds} (${way.format}, ${way.entryPoint}): ${figures.kills} kills, ${figures.changes} changes ` +
        `there once, ${findings.length} findings`,
    );
  }
  return { figures, findings };
}

const noFigures: Figures = {
  rounds: 0,
  kills: 0,
  killsInProgress: 0,
  killsAheadOfNote: 0,
  serverKills: 0,
  imports: 0,
  rows: 0,
  changes: 0,
};
