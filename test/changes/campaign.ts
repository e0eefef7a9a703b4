// Writers, servers that are killed, and consumers of the feed that are killed: at the end each consumer has every
// change once and in order, and a recipient knows each erasure.

import {
  type Campaign,
  type CampaignOutcome,
  type CampaignRun,
  findingOf,
} from "../campaign/campaign.ts";
import { count, type Figures } from "../crash/site.ts";
import { makeRandom } from "../support/random.ts";
import { preferMemory } from "../support/temp-folder.ts";
import { runStore } from "./run-store.ts";
import { openOnPostgres, openOnSqlite } from "./site.ts";

/** Of each of the two organizations. */
const writersDefault = 32;

export const changes: Campaign<Figures> = {
  about: "kills servers and consumers of the feed of changes, and compares what each was given",
  counts: "kills",
  countDefault: 50,
  amounts: { changes: 20_000, writers: writersDefault },
  engines: ["sqlite", "postgres"],
  run: runChanges,
};

/** So that a check stays fast, and a long campaign also covers young stores. */
const killsPerStore = 25;
const changesPerStore = 200_000;

async function runChanges(run: CampaignRun): Promise<CampaignOutcome<Figures>> {
  const { countMax, budgetMs, amounts = {}, engine, seed, tell } = run;
  // What is killed are processes, not the system.
  preferMemory();
  const until = performance.now() + budgetMs;
  const changesMax = amounts["changes"] ?? 0;
  const changesPerKill = Math.ceil(changesMax / countMax);
  const findings: string[] = [];
  const figures: Figures = { kills: 0, changes: 0, stores: 0 };
  const total = (name: string, more = 0): number => (figures[name] ?? 0) + more;
  const isOver = (more = { kills: 0, changes: 0 }): boolean =>
    performance.now() >= until ||
    (total("kills", more.kills) >= countMax && total("changes", more.changes) >= changesMax);
  while (findings.length === 0 && !isOver()) {
    count(figures, "stores");
    const store = total("stores");
    const open = engine === "sqlite" ? openOnSqlite : openOnPostgres;
    const place = await open(seed + store, amounts["writers"] ?? writersDefault);
    const found = place.site.ledger.findings;
    try {
      const random = makeRandom(seed * 1_000 + store);
      const isEnough = (done: { kills: number; changes: number }): boolean =>
        done.kills >= killsPerStore || done.changes >= changesPerStore || isOver(done);
      for (const [name, more] of Object.entries(
        await runStore(place, { random, changesPerKill, isEnough, tell }),
      )) {
        count(figures, name, more);
      }
    } catch (error) {
      found.push(findingOf(error));
    } finally {
      await place.release();
      await place.end().catch((error: unknown) => found.push(findingOf(error)));
      findings.push(...found);
    }
    tell(`store ${store}: ${JSON.stringify(figures)}, ${findings.length} findings`);
  }
  return { figures, findings };
}
