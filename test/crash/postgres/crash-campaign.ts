// Crashes processes and their PostgreSQL server repeatedly, and stops at the first round in which
// anything was found.

import { makeRandom } from "../../support/random.ts";
import { type RoundFigures, runRound, type Victim } from "./round.ts";
import { makePostgresSite, type PostgresSite } from "./site.ts";

export interface CampaignOptions {
  readonly seed: number;
  readonly killsMax: number;
  readonly budgetMs: number;
  readonly onRound?: (line: string) => void;
}

export interface CampaignReport extends RoundFigures {
  /** Empty if nothing is wrong. */
  readonly findings: readonly string[];
  readonly records: number;
  readonly changes: number;
  readonly deletions: number;
}

export async function runPostgresCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const until = performance.now() + options.budgetMs;
  const site = await makePostgresSite(options.seed);
  const { findings } = site.ledger;
  const figures = noFigures();
  try {
    for (let kill = 0; kill < options.killsMax && performance.now() < until; kill += 1) {
      if (findings.length > 0) break;
      const random = makeRandom(options.seed * 1_000 + kill);
      const victim: Victim = kill % 3 === 2 ? "the server" : "a process";
      const startedAt = performance.now();
      await runRound(site, { victim, random, figures });
      options.onRound?.(
        `kill ${kill + 1} (${victim}, ${Math.round(performance.now() - startedAt)} ms): ` +
          `${site.ledger.records.size} records known, ${findings.length} findings`,
      );
    }
  } catch (error) {
    findings.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    await endSite(site);
  }
  const changes = [...site.ledger.records.values()].reduce(
    (sum, record) => sum + record.changes.length,
    0,
  );
  const { records, deletions } = site.ledger;
  return { ...figures, findings, records: records.size, changes, deletions: deletions.length };
}

async function endSite({ processes, senders, postgres, ledger }: PostgresSite): Promise<void> {
  for (const { client } of senders) client.close();
  for (const server of processes) {
    const end = await server.end("SIGTERM");
    if (end !== 0) ledger.findings.push(`SIGTERM ended a process with ${String(end)}`);
  }
  await postgres.remove();
}

function noFigures(): RoundFigures {
  return {
    processesKilled: 0,
    serversKilled: 0,
    unanswered: 0,
    unansweredStored: 0,
    unansweredAbsent: 0,
  };
}
