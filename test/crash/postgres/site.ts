// One PostgreSQL server with several serving processes, and the organizations that write through
// all of them. Any process, and the server itself, can be killed and started again.

import { makeRecordGenerator } from "../../support/record-generator.ts";
import { makeCustomer } from "../../support/customer.ts";
import { type Client, makeClient } from "../../support/http-client.ts";
import { type PostgresServer, startPostgres } from "../../support/postgres/postgres-server.ts";
import { operate } from "../../support/server.ts";
import { type ServerProcess, startServerProcess } from "../../support/server-process.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import type { Contest } from "../acts-add.ts";
import { Ledger } from "../ledger.ts";
import type { Sender } from "../sender.ts";

export interface PostgresSite {
  readonly postgres: PostgresServer;
  readonly url: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly processes: ServerProcess[];
  readonly ledger: Ledger;
  /** Sender n is served by process n, modulo the number of processes. */
  readonly senders: readonly Sender[];
  readonly contests: ReadonlyMap<string, Contest>;
}

const processCount = 3;
const organizations = 2;
const connectionsEach = 6;

export async function makePostgresSite(seed: number): Promise<PostgresSite> {
  const postgres = await startPostgres({ own: true, durable: true });
  const url = await postgres.makeDatabase();
  const folder = makeTempFolder();
  const environment = {
    PORT: "0",
    DATABASE_URL: url,
    DATA_DIR: folder,
    LOG_LEVEL: "fatal",
    RATE_LIMIT_PER_SECOND: "0",
    DELETION_POLL_MS: "20",
  };
  // All at the same moment, on an empty database.
  const processes = await Promise.all(
    Array.from({ length: processCount }, () => startServerProcess(environment)),
  );
  const ledger = new Ledger();
  const senders: Sender[] = [];
  for (let number = 1; number <= organizations; number += 1) {
    const [first] = processes;
    if (first === undefined) throw new Error("no process was started");
    const customer = await operate(environment, (app) => makeCustomer(app, first.client));
    for (let connection = 1; connection <= connectionsEach; connection += 1) {
      const name = `o${number}c${connection}`;
      const generator = makeRecordGenerator(seed * 100 + senders.length, `${name}-`);
      senders.push({ ...newSender(), name, customer, generator, ledger, token: customer.token });
    }
  }
  const ids = new Set(senders.map(({ customer }) => customer.organizationId));
  const contests = new Map([...ids].map((id) => [id, makeContest()] as const));
  return { postgres, url, folder, environment, processes, ledger, senders, contests };
}

function newSender(): Omit<Sender, "name" | "customer" | "generator" | "ledger" | "token"> {
  return {
    client: makeClient("http://127.0.0.1:1"),
    isKilled: () => true,
    loners: [],
    families: [],
    openDeletions: [],
    acknowledged: [],
    count: 0,
    cutOff: false,
  };
}

/**
 * Connects every sender to its process. `isCrashing` says whether a request may stay unanswered.
 */
export function connectSenders(site: PostgresSite, isCrashing: () => boolean): void {
  for (const [place, sender] of site.senders.entries()) {
    const server = site.processes[place % site.processes.length];
    if (server === undefined) throw new Error("a process is missing");
    sender.client.close();
    sender.client = withoutUnavailable(makeClient(server.address));
    sender.isKilled = isCrashing;
    sender.cutOff = false;
  }
}

/** A client that is told to try again was promised nothing: the same as no reply. */
function withoutUnavailable(client: Client): Client {
  return {
    ...client,
    send: async (ask) => {
      const reply = await client.send(ask);
      if (reply.status === 503) throw new Error("the service was not available");
      return reply;
    },
  };
}

/** Every few calls, from any connection, the next id. */
function makeContest(): Contest {
  let calls = 0;
  return {
    nextId: () => {
      calls += 1;
      return `contested-${Math.floor(calls / 3)}`;
    },
  };
}
