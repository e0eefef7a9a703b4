// One PostgreSQL server with several serving processes, and the organizations that write through all of them. Any
// process, and the server itself, can be killed and started again.

import { type Client, makeClient } from "../../support/http-client.ts";
import { type PostgresServer, startPostgres } from "../../support/postgres/postgres-server.ts";
import { type ServerProcess, startServerProcess } from "../../support/server-process.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import {
  connect,
  environmentOf,
  makeSenders,
  type Site,
  count,
  countUnanswered,
  type CrashRound,
} from "../site.ts";
import { collectRecords, type Stored } from "../stored.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../support/random.ts";
import { waitFor } from "../../support/wait-for.ts";
import { addStream } from "../acts-add.ts";
import { firstBeside, startCommands } from "../commands.ts";
import { everyday, runLoad } from "../load.ts";
import { awaitDeletions, sendAgain } from "../recover.ts";

export interface PostgresSite extends Site {
  readonly postgres: PostgresServer;
  readonly url: string;
  /** Sender n is served by process n, modulo the number of processes. */
  readonly processes: ServerProcess[];
}

const processCount = 3;

export async function makePostgresSite(seed: number, connectionsEach = 6): Promise<PostgresSite> {
  const postgres = await startPostgres({ own: true, durable: true });
  const url = await postgres.makeDatabase();
  const folder = makeTempFolder();
  const environment = { ...environmentOf(folder, url), LOG_LEVEL: "fatal" };
  // All at the same moment, on an empty database.
  const processes = await Promise.all(
    Array.from({ length: processCount }, () => startServerProcess(environment)),
  );
  const [first] = processes;
  if (first === undefined) throw new Error("no process was started");
  const made = await makeSenders(environment, first.client, { seed, connectionsEach });
  const read = () => readStored((sql) => postgres.query(sql, url));
  return { ...made, postgres, url, folder, environment, processes, readStored: read };
}

/** Connects every sender to its process. `isCrashing` says whether a request may stay unanswered. */
function connectSenders(site: PostgresSite, isCrashing: () => boolean): void {
  for (const [place, sender] of site.senders.entries()) {
    const server = site.processes[place % site.processes.length];
    if (server === undefined) throw new Error("a process is missing");
    connect(sender, withoutUnavailable(makeClient(server.address)), isCrashing);
  }
}

/** A client that is told to try again was promised nothing: the same as no reply. */
export function withoutUnavailable(client: Client): Client {
  return {
    ...client,
    send: async (ask) => {
      const reply = await client.send(ask);
      if (reply.status === 503) throw new Error("the service was not available");
      return reply;
    },
  };
}

export async function endPostgresSite(site: PostgresSite): Promise<void> {
  for (const server of site.processes) {
    const end = await server.end("SIGTERM");
    if (end !== 0) site.ledger.findings.push(`SIGTERM ended a process with ${String(end)}`);
  }
  await site.postgres.remove();
}

/** Runs a statement as the superuser. */
type QueryAll = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

const allChanges = `
  SELECT record.organization_id, record.resource_type, record.resource_id,
    first_seen, last_seen, payload
  FROM record LEFT JOIN change USING (organization_id, resource_type, resource_id)
  ORDER BY change_no`;

const orphans = `
  SELECT count(*)::int AS count FROM change LEFT JOIN record
    USING (organization_id, resource_type, resource_id)
  WHERE record.resource_id IS NULL`;

export async function readStored(query: QueryAll): Promise<Stored> {
  const records = collectRecords(await query(allChanges));
  const lost = Number((await query(orphans))[0]?.["count"]);
  return { records, faults: lost === 0 ? [] : [`${lost} changes belong to no record`] };
}

/** A stream is sent without the client, which tells refusals for the moment apart. */
const acts = everyday.filter(([, act]) => act !== addStream);

export async function crashProcessOrServer(
  site: PostgresSite,
  { kill, random, figures }: CrashRound,
): Promise<string> {
  const isServer = kill % 3 === 1;
  await crashUnderLoad(site, isServer, { kill, random, figures });
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
  { kill, random, figures }: CrashRound,
): Promise<void> {
  let crashing = false;
  connectSenders(site, () => crashing);
  const load = runLoad(site, { acts, kind: "mixed" });
  // They need the database.
  const commands =
    isServer || kill < firstBeside
      ? undefined
      : startCommands(site, { seed: random.integer(1, 1_000_000), backup: false });
  await sleep(random.integer(50, 500));
  crashing = true;
  const restart = isServer ? await killServer(site, random) : await killProcess(site, random);
  await sleep(random.integer(0, 300));
  for (const sender of site.senders) sender.cutOff = true;
  await load;
  await restart();
  count(figures, "commands", (await commands?.stop()) ?? 0);
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
