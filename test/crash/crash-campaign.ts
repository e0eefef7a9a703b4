// Crashes what serves a store repeatedly, and stops at the first round in which anything was found. Kills a server
// under load, on PostgreSQL also its database server, and compares the store with the replies. One crash on SQLite:
// load, SIGKILL, and a restart on the same files.

import { performance } from "node:perf_hooks";
import {
  type Campaign,
  type CampaignOutcome,
  type CampaignRun,
  findingOf,
  makeLimit,
} from "../campaign/campaign.ts";
import { makeRandom, type Random } from "../support/random.ts";
import { crashProcessOrServer, endPostgresSite, makePostgresSite } from "./postgres/site.ts";
import {
  checkAll,
  count,
  countUnanswered,
  type CrashRound,
  type Figures,
  type Site,
} from "./site.ts";
import {
  endSqliteSite,
  killAtStart,
  makeSqliteSite,
  type RunningServer,
  type SqliteSite,
  startOn,
} from "./sqlite/site.ts";
import { operate } from "../support/server.ts";
import { firstBeside, startCommands } from "./commands.ts";
import { everyday, type LoadKind, loadKinds, makeMoment, runLoad } from "./load.ts";
import { awaitDeletions, sendAgain } from "./recover.ts";
import { checkTornWal } from "./torn-wal.ts";

interface Crashes<Place extends Site> {
  /** Serves then. */
  readonly make: (seed: number) => Promise<Place>;
  /** Kills under load and starts again, until clients have what they asked for; returns what was killed. */
  readonly crash: (site: Place, round: CrashRound) => Promise<string>;
  readonly end: (site: Place) => Promise<void>;
}

/** So that a long campaign also covers young stores, and a check stays fast. */
const killsPerStore = 20;

function runCrashes(run: CampaignRun): Promise<CampaignOutcome<Figures>> {
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

export const crash: Campaign<Figures> = {
  about: "kills a server under load, and compares the store with the replies",
  counts: "kills",
  countDefault: 25,
  engines: ["sqlite", "postgres"],
  run: runCrashes,
};

async function crashServer(site: SqliteSite, round: CrashRound): Promise<string> {
  const { kill, random, figures } = round;
  const kind = loadKinds[kill % loadKinds.length] ?? "mixed";
  // Alternately, so that each kind of load is met with and without them.
  const beside = kill >= firstBeside && kill % 2 === 1;
  const commands = beside
    ? startCommands(site, { seed: random.integer(1, 1_000_000), backup: true })
    : undefined;
  try {
    await crashAndRecover(site, round, { kind, beside });
  } finally {
    count(figures, "commands", (await commands?.stop()) ?? 0);
  }
  return kind;
}

async function crashAndRecover(
  site: SqliteSite,
  { random, figures }: CrashRound,
  { kind, beside }: { kind: LoadKind; beside: boolean },
): Promise<void> {
  await crashUnderLoad(site, kind, random);
  countUnanswered(site, figures);
  const killedAt = Date.now();
  // Commands would change the files while they are copied.
  const tears = random.chance(0.4) && !beside;
  if (tears && (await checkTornWal(site, random))) count(figures, "tornWals");
  if (random.chance(0.3)) {
    await killAtStart(site, random.integer(0, 900));
    count(figures, "killsAtStart");
  }
  const next = await startOn(site);
  if (random.chance(0.15)) {
    await Promise.all([...site.senders.map(sendAgain), killSoon(next, random.integer(0, 60))]);
    count(figures, "killsAtStart");
    await startOn(site);
  }
  await Promise.all(site.senders.map(sendAgain));
  await Promise.all(site.senders.map(awaitDeletions));
  count(figures, "deletionsInterrupted", await countInterrupted(site, killedAt));
}

async function crashUnderLoad(site: SqliteSite, kind: LoadKind, random: Random): Promise<void> {
  const moment = makeMoment(kind, random);
  const load = runLoad(site, { acts: everyday, kind, moment });
  await moment.come;
  await site.server?.kill();
  await load;
}

async function killSoon(server: RunningServer, afterMs: number): Promise<void> {
  const until = performance.now() + afterMs;
  while (performance.now() < until) await new Promise(setImmediate);
  await server.kill();
}

/** Deletions that were started before the crash and completed after it. */
function countInterrupted(site: SqliteSite, killedAt: number): Promise<number> {
  return operate(site.environment, async (app) => {
    const deletions = await app.store.listDeletions({ limit: 1_000_000 });
    return deletions.filter(
      ({ startedAt = Infinity, completedAt = Infinity }) =>
        startedAt <= killedAt && completedAt > killedAt,
    ).length;
  });
}
