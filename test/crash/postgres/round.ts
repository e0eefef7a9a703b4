// One crash on PostgreSQL: load through all processes, the end of one of them or of the server
// itself, a restart, and a check of everything.

import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../support/random.ts";
import { operate } from "../../support/server.ts";
import { startServerProcess } from "../../support/server-process.ts";
import { waitFor } from "../../support/wait-for.ts";
import { addLenient, addList, addOne, contend } from "../acts-add.ts";
import { addLate, askDeletion, checkDeletionStates } from "../acts-delete.ts";
import { addAgain, repeatAcknowledged, resend, updateList, updateOne } from "../acts-update.ts";
import { checkExistence } from "../check-existence.ts";
import { startCommands } from "../commands.ts";
import { compare } from "../compare.ts";
import { makeCustomerFamily, makeTransactionFamily } from "../families.ts";
import { resolveUnanswered } from "../resolve-unanswered.ts";
import { awaitDeletions, checkDeletions, sendAgain } from "../recover.ts";
import type { Sender } from "../sender.ts";
import { connectSenders, type PostgresSite } from "./site.ts";
import { readStored } from "./stored.ts";

export const victims = ["a process", "the server"] as const;
export type Victim = (typeof victims)[number];

export interface RoundFigures {
  processesKilled: number;
  serversKilled: number;
  unanswered: number;
  unansweredStored: number;
  unansweredAbsent: number;
}

export async function runRound(
  site: PostgresSite,
  { victim, random, figures }: { victim: Victim; random: Random; figures: RoundFigures },
): Promise<void> {
  await crashUnderLoad(site, victim, random);
  if (victim === "a process") figures.processesKilled += 1;
  else figures.serversKilled += 1;
  figures.unanswered += site.ledger.recent.filter(({ answer }) => answer === undefined).length;
  connectSenders(site, () => false);
  await Promise.all(site.senders.map(sendAgain));
  await Promise.all(site.senders.map(awaitDeletions));
  if (site.ledger.findings.length > 0) return;
  if (site.postgres.nodes > 1) await resolvePrepared(site);
  const resolved = await checkAll(site);
  figures.unansweredStored += resolved.stored;
  figures.unansweredAbsent += resolved.absent;
}

async function crashUnderLoad(site: PostgresSite, victim: Victim, random: Random): Promise<void> {
  let crashing = false;
  connectSenders(site, () => crashing);
  const loads = site.senders.map((sender) => runLoad(site, sender));
  // They need the database.
  const commands =
    victim === "a process"
      ? startCommands(site, { seed: random.integer(1, 1_000_000), backup: false })
      : undefined;
  await sleep(random.integer(50, 500));
  crashing = true;
  const restart =
    victim === "the server" ? await killServer(site, random) : await killProcess(site, random);
  await sleep(random.integer(0, 300));
  for (const sender of site.senders) sender.cutOff = true;
  await Promise.all(loads);
  await restart();
  await commands?.stop();
  await Promise.all(
    site.processes.map(({ client }) =>
      waitFor("a process to be ready", async () => {
        const { status } = await client.send({ method: "GET", path: "/health/ready" });
        return status === 200 ? true : undefined;
      }),
    ),
  );
}

/** On a cluster: the coordinator, one of the workers, or all at once. */
async function killServer(
  { postgres }: PostgresSite,
  random: Random,
): Promise<() => Promise<void>> {
  const node = postgres.nodes === 1 ? 0 : random.integer(0, postgres.nodes);
  await postgres.stop("kill", node === postgres.nodes ? undefined : node);
  return () => postgres.start();
}

/**
 * The cluster commits or rolls back the transactions that a crash left prepared on a node, a little
 * later.
 */
async function resolvePrepared({ postgres, url }: PostgresSite): Promise<void> {
  await waitFor("the cluster to resolvePrepared what was prepared", async () => {
    const answers = await postgres.query(
      "SELECT result FROM run_command_on_workers('SELECT count(*) FROM pg_prepared_xacts')",
      url,
    );
    return answers.every(({ result }) => result === "0") ? true : undefined;
  });
}

/** Ends the leases of the dead process at once, as if they had expired. */
async function killProcess(site: PostgresSite, random: Random): Promise<() => Promise<void>> {
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

type Act = (sender: Sender) => Promise<unknown>;

/** Ends when the connection is cut. */
async function runLoad(site: PostgresSite, sender: Sender): Promise<void> {
  const contest = site.contests.get(sender.customer.organizationId);
  if (contest === undefined) throw new Error("an organization has no contest");
  const acts: readonly (readonly [number, Act])[] = [
    [30, addOne],
    [10, addList],
    [8, addLenient],
    [20, updateOne],
    [6, updateList],
    [3, resend],
    [3, addAgain],
    [8, repeatAcknowledged],
    [12, (one) => contend(one, contest)],
    [3, makeTransactionFamily],
    [3, makeCustomerFamily],
    [5, askDeletion],
    [4, addLate],
    [5, checkDeletionStates],
  ];
  while (!sender.cutOff) await pickAct(acts, sender.generator.random)(sender);
}

function pickAct(acts: readonly (readonly [number, Act])[], random: Random): Act {
  let left = random.next() * acts.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, act] of acts) if ((left -= weight) < 0) return act;
  return addOne;
}

async function checkAll(site: PostgresSite): Promise<{ stored: number; absent: number }> {
  const { ledger, senders, environment, postgres, url } = site;
  await operate(environment, async (app) => {
    await checkDeletions(app, ledger);
    const { findings } = await app.store.checkIntegrity();
    ledger.findings.push(...findings.map((finding) => `integrity: ${finding}`));
  });
  const stored = await readStored(postgres, url);
  for (const { kind, about, detail } of compare(ledger, stored)) {
    ledger.findings.push(`${kind}: ${about}: ${detail.slice(0, 500)}`);
  }
  const touched = [...ledger.records.values()].filter(
    ({ disturbed, contested }) => disturbed || contested,
  );
  const resolved = resolveUnanswered(ledger, stored);
  await checkExistence(senders, touched);
  return resolved;
}
