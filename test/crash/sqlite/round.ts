// One crash on SQLite: load, SIGKILL, and a restart on the same files.

import { performance } from "node:perf_hooks";
import type { Random } from "../../support/random.ts";
import { operate } from "../../support/server.ts";
import { startCommands } from "../commands.ts";
import { everyday, type LoadKind, loadKinds, makeMoment, runLoad } from "../load.ts";
import { awaitDeletions, sendAgain } from "../recover.ts";
import { count, countUnanswered, type CrashRound } from "../site.ts";
import { checkTornWal } from "../torn-wal.ts";
import { killAtStart, type RunningServer, type SqliteSite, startOn } from "./site.ts";

export async function crashServer(site: SqliteSite, round: CrashRound): Promise<string> {
  const { kill, random, figures } = round;
  const kind = loadKinds[kill % loadKinds.length] ?? "mixed";
  // Alternately, so that each kind of load is met with and without them.
  const beside = kill % 2 === 1;
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
