// Crashes what serves a store repeatedly, and stops at the first round in which anything was found.

import {
  type CampaignOutcome,
  type CampaignRun,
  findingOf,
  makeLimit,
} from "../campaign/campaign.ts";
import { makeRandom } from "../support/random.ts";
import { crashProcessOrServer } from "./postgres/round.ts";
import { endPostgresSite, makePostgresSite } from "./postgres/site.ts";
import { checkAll, count, type CrashRound, type Figures, type Site } from "./site.ts";
import { crashServer } from "./sqlite/round.ts";
import { endSqliteSite, makeSqliteSite } from "./sqlite/site.ts";

export interface Crashes<Place extends Site> {
  /** Serves then. */
  readonly make: (seed: number) => Promise<Place>;
  /** Kills under load and starts again, until clients have what they asked for; returns what was killed. */
  readonly crash: (site: Place, round: CrashRound) => Promise<string>;
  readonly end: (site: Place) => Promise<void>;
}

/** So that a long campaign also covers young stores, and a check stays fast. */
const killsPerStore = 20;

export function runCrashes(run: CampaignRun): Promise<CampaignOutcome<Figures>> {
  if (run.engine === "sqlite") {
    return crashMany(run, { make: makeSqliteSite, crash: crashServer, end: endSqliteSite });
  }
  const crash = crashProcessOrServer;
  return crashMany(run, { make: makePostgresSite, crash, end: endPostgresSite });
}

export async function crashMany<Place extends Site>(
  run: CampaignRun,
  crashes: Crashes<Place>,
): Promise<CampaignOutcome<Figures>> {
  const isOver = makeLimit(run);
  const findings: string[] = [];
  const figures: Figures = { kills: 0 };
  for (let stores = 1; !isOver(figures["kills"] ?? 0) && findings.length === 0; stores += 1) {
    const site = await crashes.make(run.seed + stores);
    try {
      for (let round = 0; round < killsPerStore && !isOver(figures["kills"] ?? 0); round += 1) {
        await crashOnce(site, crashes, { run, figures });
        if (site.ledger.findings.length > 0) break;
      }
    } catch (error) {
      site.ledger.findings.push(findingOf(error));
    } finally {
      countAll(site, figures);
      for (const { client } of site.senders) client.close();
      await crashes.end(site);
      findings.push(...site.ledger.findings);
    }
  }
  return { figures, findings };
}

async function crashOnce<Place extends Site>(
  site: Place,
  { crash }: Crashes<Place>,
  { run, figures }: { run: CampaignRun; figures: Figures },
): Promise<void> {
  const { ledger } = site;
  const kill = figures["kills"] ?? 0;
  const random = makeRandom(run.seed * 1_000 + kill);
  const startedAt = performance.now();
  const what = await crash(site, { kill, random, figures });
  count(figures, "kills");
  // Further checks would only report the consequences of what was already found.
  if (ledger.findings.length === 0) await checkAll(site, figures);
  const ms = Math.round(performance.now() - startedAt);
  run.tell(
    `kill ${kill + 1} (${what}, ${ms} ms): ${ledger.records.size} records known, ${ledger.findings.length} findings`,
  );
}

function countAll({ ledger }: Site, figures: Figures): void {
  for (const { changes } of ledger.records.values()) {
    count(figures, "changes", changes.filter(({ standing }) => standing !== "absent").length);
  }
  count(figures, "stores");
  count(figures, "records", ledger.records.size);
  count(figures, "deletions", ledger.deletions.length);
}
