// One PostgreSQL server with several serving processes, and the organizations that write through all of them. Any
// process, and the server itself, can be killed and started again.

import { type Client, makeClient } from "../../support/http-client.ts";
import { type PostgresServer, startPostgres } from "../../support/postgres/postgres-server.ts";
import { type ServerProcess, startServerProcess } from "../../support/server-process.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { connect, environmentOf, makeSenders, type Site } from "../site.ts";
import { readStored } from "./stored.ts";

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
export function connectSenders(site: PostgresSite, isCrashing: () => boolean): void {
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
