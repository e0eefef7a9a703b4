// One crash on PostgreSQL: load through all processes, the end of one of them or of the server itself, and a restart.

import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../support/random.ts";
import { startServerProcess } from "../../support/server-process.ts";
import { waitFor } from "../../support/wait-for.ts";
import { addStream } from "../acts-add.ts";
import { everyday, runLoad } from "../load.ts";
import { awaitDeletions, sendAgain } from "../recover.ts";
import { count, countUnanswered, type CrashRound } from "../site.ts";
import { connectSenders, type PostgresSite } from "./site.ts";

/** A stream is sent without the client, which tells refusals for the moment apart. */
const acts = everyday.filter(([, act]) => act !== addStream);

export async function crashProcessOrServer(
  site: PostgresSite,
  { kill, random, figures }: CrashRound,
): Promise<string> {
  const isServer = kill % 3 === 1;
  await crashUnderLoad(site, isServer, random);
  countUnanswered(site, figures);
  count(figures, isServer ? "serversKilled" : "processesKilled");
  connectSenders(site, () => false);
  await Promise.all(site.senders.map(sendAgain));
  await Promise.all(site.senders.map(awaitDeletions));
  if (site.postgres.nodes > 1 && site.ledger.findings.length === 0) await awaitPrepared(site);
  return isServer ? "the server" : "a process";
}

async function crashUnderLoad(
  site: PostgresSite,
  isServer: boolean,
  random: Random,
): Promise<void> {
  let crashing = false;
  connectSenders(site, () => crashing);
  const load = runLoad(site, { acts, kind: "mixed" });
  await sleep(random.integer(50, 500));
  crashing = true;
  const restart = isServer ? await killServer(site, random) : await killProcess(site, random);
  await sleep(random.integer(0, 300));
  for (const sender of site.senders) sender.cutOff = true;
  await load;
  await restart();
  await Promise.all(
    site.processes.map(({ client }) =>
      waitFor("a process to be ready", async () => {
        const { status } = await client.send({ method: "GET", path: "/health/ready" });
        return status === 200;
      }),
    ),
  );
}

/** On a cluster: the coordinator, one of the workers, or all at once. */
export async function killServer(
  { postgres }: Pick<PostgresSite, "postgres">,
  random: Random,
): Promise<() => Promise<void>> {
  const node = postgres.nodes === 1 ? 0 : random.integer(0, postgres.nodes);
  await postgres.stop("kill", node === postgres.nodes ? undefined : node);
  return () => postgres.start();
}

/** The cluster commits or rolls back the transactions that a crash left prepared on a node, a little later. */
async function awaitPrepared({ postgres, url }: PostgresSite): Promise<void> {
  await waitFor("the cluster to resolve what was prepared", async () => {
    const answers = await postgres.query(
      "SELECT result FROM run_command_on_workers('SELECT count(*) FROM pg_prepared_xacts')",
      url,
    );
    return answers.every(({ result }) => result === "0");
  });
}

/** Ends the leases of the dead process at once, as if they had expired. */
export async function killProcess(
  site: PostgresSite,
  random: Random,
): Promise<() => Promise<void>> {
  const { processes, environment, postgres, url } = site;
  const place = random.integer(0, processes.length - 1);
  const killed = processes[place];
  const end = await killed?.end("SIGKILL");
  if (end !== "SIGKILL") site.ledger.findings.push(`a process ended by itself with ${String(end)}`);
  return async () => {
    processes[place] = await startServerProcess(environment);
    await postgres.query(
      `UPDATE deletion SET lease_until = 0 WHERE claimant LIKE '${killed?.child.pid ?? 0}-%'`,
      url,
    );
  };
}
