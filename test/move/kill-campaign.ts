// Kills `sluice move` in each of its phases, repeatedly, and checks after each kill that the
// database can only be used to continue the move until it is complete. Reports in which phases the
// kills were.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { openStore } from "../../src/store/open-store.ts";
import { movedTables } from "../../src/store/interface/moved-tables.ts";
import { runProgram, startProgram } from "../cli/program.ts";
import type { PostgresServer } from "../support/postgres/postgres-server.ts";
import type { Random } from "../support/random.ts";

/** `before`: nothing was reserved yet. `after`: the move was complete. */
export const phases = ["before", "reading", "copying", "verifying", "after"] as const;
export type Phase = (typeof phases)[number];

export interface Campaign {
  readonly server: PostgresServer;
  /** Settings of the embedded store. */
  readonly environment: Readonly<Record<string, string>>;
  readonly kills: number;
  readonly random: Random;
}

/** How often the move was killed in each phase. */
export async function runKillCampaign(
  campaign: Campaign,
): Promise<Readonly<Record<Phase, number>>> {
  const counts = { before: 0, reading: 0, copying: 0, verifying: 0, after: 0 };
  let url = await campaign.server.makeDatabase();
  for (let kill = 0; kill < campaign.kills; kill += 1) {
    const aim = campaign.random.pick(phases);
    await killIn(aim, { ...campaign, url });
    const phase = await readPhase(campaign.server, url);
    counts[phase] += 1;
    await requireRefusedUnless(phase, { ...campaign, url });
    // Most moves are killed several times before they are finished.
    if (phase === "before" || (phase !== "after" && campaign.random.chance(0.6))) continue;
    await requireFinished({ ...campaign, url });
    await campaign.server.dropDatabase(url);
    url = await campaign.server.makeDatabase();
  }
  await requireFinished({ ...campaign, url });
  await campaign.server.dropDatabase(url);
  return counts;
}

type Round = Campaign & { readonly url: string };

/**
 * Kills it as soon as the phase, or a later one, has begun, or a moment after; or it ends before.
 */
async function killIn(aim: Phase, { server, environment, random, url }: Round): Promise<void> {
  const program = startProgram(["move", "--to", url], environment);
  const running = { ended: false };
  const ended = program.ended.then((outcome) => {
    running.ended = true;
    return outcome;
  });
  // One connection for all queries, under a name that is not mistaken for a process of the service.
  const client = new Client({ connectionString: urlOfSuperuser(server, url) });
  await client.connect();
  while (!running.ended && isBefore(await phaseOf(client), aim)) await sleep(1);
  await client.end();
  // Reading is fast.
  if (aim !== "reading") await sleep(random.integer(0, 15));
  program.child.kill("SIGKILL");
  await ended;
}

function isBefore(phase: Phase, other: Phase): boolean {
  return phases.indexOf(phase) < phases.indexOf(other);
}

function urlOfSuperuser(server: PostgresServer, url: string): string {
  const admin = new URL(server.adminUrl);
  admin.pathname = new URL(url).pathname;
  return admin.href;
}

async function readPhase(server: PostgresServer, url: string): Promise<Phase> {
  const client = new Client({ connectionString: urlOfSuperuser(server, url) });
  await client.connect();
  try {
    return await phaseOf(client);
  } finally {
    await client.end();
  }
}

async function phaseOf(client: Client): Promise<Phase> {
  const { rows: tables } = await client.query<{ there: boolean }>(
    "SELECT to_regclass('move') IS NOT NULL AS there",
  );
  if (tables[0]?.there !== true) return "before";
  const { rows } = await client.query<{ summary: string; table_name: string | null }>(
    "SELECT summary, table_name FROM move",
  );
  const [row] = rows;
  if (row === undefined) return (await isEmpty(client)) ? "before" : "after";
  if (row.summary === "") return "reading";
  return row.table_name === null ? "verifying" : "copying";
}

async function isEmpty(client: Client): Promise<boolean> {
  for (const { name } of movedTables) {
    const { rowCount } = await client.query(`SELECT 1 FROM ${name} LIMIT 1`);
    if (rowCount !== 0) return false;
  }
  return true;
}

const refusal = /move of the embedded store \w+ .* is not finished/;

/** The service and every command: they all open the store in the same way. */
async function requireRefusedUnless(phase: Phase, { environment, url }: Round): Promise<void> {
  if (phase === "before") return;
  if (phase === "after") {
    const store = await openStore(url, { role: "command" });
    assert.deepEqual(await store.checkIntegrity(), { ok: true, findings: [] });
    return store.close();
  }
  await assert.rejects(openStore(url, { role: "command" }), refusal);
  const { code, err } = await runProgram(["serve"], { ...environment, DATABASE_URL: url });
  assert.equal(code, 1, `it serves in the phase ${phase}`);
  assert.match(err, refusal);
}

/**
 * The same command runs to the end; once it is complete it is refused, as the database is in use.
 */
async function requireFinished(round: Round): Promise<void> {
  const { server, environment, url } = round;
  if ((await readPhase(server, url)) !== "after") {
    const { code, err } = await runProgram(["move", "--to", url], {
      ...environment,
      LOG_LEVEL: "debug",
    });
    assert.equal(code, 0, err);
  }
  assert.equal(await readPhase(server, url), "after");
  await requireRefusedUnless("after", round);
}
