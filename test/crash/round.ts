// One crash: load, SIGKILL, restart on the same files, and a check of everything.

import { performance } from "node:perf_hooks";
import type { Random } from "../support/random.ts";
import { operate } from "../support/server.ts";
import { checkExistence } from "./check-existence.ts";
import { startCommands } from "./commands.ts";
import { compare, type Finding } from "./compare.ts";
import { resolveUnanswered } from "./resolve-unanswered.ts";
import type { SentRecord } from "./ledger.ts";
import { type LoadKind, makeMoment, runLoad } from "./load.ts";
import { awaitDeletions, checkDeletions, sendAgain } from "./recover.ts";
import { killAtStart, type RunningServer, type Site, startOn } from "./site.ts";
import { readStored } from "./stored.ts";
import { checkTornWal } from "./torn-wal.ts";

export interface RoundFigures {
  /** Processes killed, under load and while they started. */
  kills: number;
  killsAtStart: number;
  /** Commands that were run beside the server, and succeeded. */
  commands: number;
  /** Requests in flight at a kill, and the outcome of their changes. */
  unanswered: number;
  unansweredStored: number;
  unansweredAbsent: number;
  deletionsInterrupted: number;
  /** Copies of the store whose WAL was torn, and that passed the checks. */
  tornWals: number;
}

interface Round {
  readonly kind: LoadKind;
  readonly random: Random;
  readonly figures: RoundFigures;
  /** Whether commands are run beside the server. */
  readonly beside: boolean;
}

/** Ends with the server that was started after the crash, with everything on it checked. */
export async function runRound(
  site: Site,
  server: RunningServer,
  round: Round,
): Promise<RunningServer> {
  const { random, figures, beside } = round;
  const commands = beside
    ? startCommands(site, { seed: random.integer(1, 1_000_000), backup: true })
    : undefined;
  let next: RunningServer;
  try {
    next = await crashAndRecover(site, server, round);
  } finally {
    figures.commands += (await commands?.stop()) ?? 0;
  }
  // Further checks would only report the consequences of what was already found.
  if (site.ledger.findings.length > 0) return next;
  const resolved = await checkAll(site);
  figures.unansweredStored += resolved.stored;
  figures.unansweredAbsent += resolved.absent;
  return next;
}

async function crashAndRecover(
  site: Site,
  server: RunningServer,
  { kind, random, figures, beside }: Round,
): Promise<RunningServer> {
  await crashUnderLoad(site, server, { kind, random });
  figures.kills += 1;
  figures.unanswered += site.ledger.recent.filter(({ answer }) => answer === undefined).length;
  const killedAt = Date.now();
  // Commands would change the files while they are copied.
  const tears = random.chance(0.4) && !beside;
  if (tears && (await checkTornWal(site, random))) figures.tornWals += 1;
  if (random.chance(0.3)) {
    await killAtStart(site, random.integer(0, 900));
    figures.killsAtStart += 1;
  }
  let next = await startOn(site);
  if (random.chance(0.15)) {
    await Promise.all([...site.senders.map(sendAgain), killSoon(next, random.integer(0, 60))]);
    figures.killsAtStart += 1;
    next = await startOn(site);
  }
  await Promise.all(site.senders.map(sendAgain));
  await Promise.all(site.senders.map(awaitDeletions));
  figures.deletionsInterrupted += await countInterrupted(site, killedAt);
  return next;
}

async function crashUnderLoad(
  site: Site,
  server: RunningServer,
  { kind, random }: { kind: LoadKind; random: Random },
): Promise<void> {
  const moment = makeMoment(kind, random);
  const loads = [...site.contests].map(([organizationId, contest]) =>
    runLoad(
      site.senders.filter(({ customer }) => customer.organizationId === organizationId),
      { kind, moment, contest },
    ),
  );
  await moment.come;
  await server.kill();
  await Promise.all(loads);
}

async function killSoon(server: RunningServer, afterMs: number): Promise<void> {
  const until = performance.now() + afterMs;
  while (performance.now() < until) await new Promise(setImmediate);
  await server.kill();
}

/** Everything against the store, then over HTTP what was touched since the last check. */
export async function checkAll(site: Site): Promise<{ stored: number; absent: number }> {
  const { ledger, senders, environment, databasePath } = site;
  await operate(environment, async (app) => {
    await checkDeletions(app, ledger);
    const { ok, findings } = await app.store.checkIntegrity();
    if (!ok) ledger.findings.push(...findings.map((finding) => `integrity: ${finding}`));
  });
  const stored = readStored(databasePath);
  ledger.findings.push(...compare(ledger, stored).map(describeFinding));
  const touched = touchedRecords(site);
  const resolved = resolveUnanswered(ledger, stored);
  await checkExistence(senders, touched);
  return resolved;
}

function touchedRecords({ ledger }: Site): SentRecord[] {
  const touched = new Set<SentRecord>();
  for (const { changes } of ledger.recent) {
    for (const change of changes) if (change !== undefined) touched.add(change.record);
  }
  for (const record of ledger.records.values())
    if (record.disturbed || record.contested) touched.add(record);
  return [...touched];
}

function describeFinding({ kind, about, detail }: Finding): string {
  return `${kind}: ${about}: ${detail.slice(0, 500)}`;
}

/** Deletions that were started before the crash and completed after it. */
function countInterrupted(site: Site, killedAt: number): Promise<number> {
  return operate(site.environment, async (app) => {
    const deletions = await app.store.listDeletions({ limit: 1_000_000 });
    return deletions.filter(
      ({ startedAt = Infinity, completedAt = Infinity }) =>
        startedAt <= killedAt && completedAt > killedAt,
    ).length;
  });
}
