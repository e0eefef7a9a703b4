// Kills importers repeatedly, over HTTP and on the file itself, and stops at the first round in
// which anything was found.

import { makeRandom } from "../../support/random.ts";
import { formats } from "./input.ts";
import { entryPoints } from "./place.ts";
import { type RoundFigures, runRound } from "./round.ts";

export interface ImportCampaignOptions {
  readonly seed: number;
  readonly killsMax: number;
  readonly budgetMs: number;
  /** Rows in each file. */
  readonly rows: number;
  readonly onRound?: (line: string) => void;
}

export interface ImportCampaignReport extends RoundFigures {
  /** Empty if nothing is wrong. */
  readonly findings: readonly string[];
  rounds: number;
}

/** In turn, so that a short campaign covers each. */
const ways = formats.flatMap((format) => entryPoints.map((entryPoint) => ({ entryPoint, format })));
const killsPerRound = 4;

export async function runImportCampaign(
  options: ImportCampaignOptions,
): Promise<ImportCampaignReport> {
  const { seed, killsMax, budgetMs, rows, onRound } = options;
  const until = performance.now() + budgetMs;
  const findings: string[] = [];
  const report: ImportCampaignReport = { ...noFigures(), rounds: 0, findings };
  while (report.kills < killsMax && performance.now() < until && findings.length === 0) {
    const { entryPoint = "http", format = "csv" } = ways[report.rounds % ways.length] ?? {};
    report.rounds += 1;
    const random = makeRandom(seed * 1_000 + report.rounds);
    const killsLeft = Math.min(killsPerRound, killsMax - report.kills);
    const startedAt = performance.now();
    const found = await runRound({
      entryPoint,
      format,
      rows,
      killsMax: killsLeft,
      random,
      figures: report,
    });
    findings.push(...found);
    const ms = Math.round(performance.now() - startedAt);
    onRound?.(
      `round ${report.rounds} (${format}, ${entryPoint}, ${ms} ms): ${report.kills} kills, ${report.changes} changes ` +
        `there once, ${findings.length} findings`,
    );
  }
  return report;
}

function noFigures(): RoundFigures {
  return {
    kills: 0,
    killsInProgress: 0,
    killsAheadOfNote: 0,
    serverKills: 0,
    imports: 0,
    rows: 0,
    changes: 0,
  };
}
