// A store under load with the servers that serve it, which are killed and started again while everything goes on. What
// differs between engines is here.

import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import {
  killProcess,
  killServer,
  endPostgresSite,
  makePostgresSite,
  type PostgresSite,
} from "../crash/postgres/site.ts";
import type { Sender } from "../crash/sender.ts";
import type { Site } from "../crash/site.ts";
import { endSqliteSite, makeSqliteSite, type SqliteSite } from "../crash/sqlite/site.ts";
import type { Random } from "../support/random.ts";
import { startServerProcess } from "../support/server-process.ts";
import type { StoredChange } from "./compare.ts";

const startAttempts = 5;

export interface ChangesSite {
  readonly site: Site;
  addresses(): readonly string[];
  /** Kills one, and resolves when it serves again. */
  kill(random: Random): Promise<string>;
  /** Of the organization, in the order of arrival; bypasses all product code. */
  readChanges(organizationId: string): Promise<readonly StoredChange[]>;
  /** Ends what is held open beside the servers. */
  release(): Promise<void>;
  end(): Promise<void>;
}

export function senderOf({ site }: ChangesSite, organizationId: string): Sender {
  const sender = site.senders.find(({ customer }) => customer.organizationId === organizationId);
  if (sender === undefined) throw new Error("an organization has no sender");
  return sender;
}

interface Row {
  readonly resource_type: string;
  readonly resource_id: string;
  readonly payload: string;
}

function asChange({ resource_type: resourceType, resource_id, payload }: Row): StoredChange {
  return { resourceType, resourceId: resource_id, payload };
}

export async function openOnSqlite(seed: number, writersEach: number): Promise<ChangesSite> {
  const site = await makeSqliteSite(seed, writersEach);
  return {
    site,
    addresses: () => (site.server === undefined ? [] : [site.server.process.address]),
    kill: (random) => killOnSqlite(site, random),
    readChanges: (organizationId) => {
      const database = new DatabaseSync(site.databasePath, { readOnly: true, timeout: 10_000 });
      const rows = database
        .prepare(
          `SELECT resource_type, resource_id, payload FROM record JOIN change USING (record_no)
           WHERE organization_id = ? ORDER BY change_no`,
        )
        .all(organizationId) as unknown as readonly Row[];
      database.close();
      return Promise.resolve(rows.map(asChange));
    },
    release: () => Promise.resolve(),
    end: () => endSqliteSite(site),
  };
}

async function killOnSqlite(site: SqliteSite, random: Random): Promise<string> {
  await site.server?.kill();
  await sleep(random.integer(0, 200));
  const server = await startServerProcess(site.environment);
  const kill = async () => {
    site.server = undefined;
    const end = await server.end("SIGKILL");
    if (end !== "SIGKILL") site.ledger.findings.push(`the server ended by itself with ${end}`);
  };
  site.server = { process: server, kill };
  return "the server";
}

export async function openOnPostgres(seed: number, writersEach: number): Promise<ChangesSite> {
  const site = await makePostgresSite(seed, writersEach);
  const beside = new LongTransactions(site.url);
  await beside.begin();
  return {
    site,
    addresses: () => site.processes.map(({ address }) => address),
    kill: async (random) => {
      const isDatabase = random.chance(0.25);
      const restart = await (isDatabase ? killServer(site, random) : killProcess(site, random));
      await sleep(random.integer(0, 200));
      await startAgain(restart);
      if (isDatabase) await beside.begin();
      return isDatabase ? "the database" : "a process";
    },
    readChanges: async (organizationId) => {
      const rows = await site.postgres.query(
        `SELECT resource_type, resource_id, payload FROM change
         WHERE organization_id = '${organizationId}' ORDER BY change_no`,
        site.url,
      );
      return (rows as unknown as readonly Row[]).map(asChange);
    },
    release: () => beside.end(),
    end: () => endPostgresSite(site),
  };
}

/** On a busy machine a database can take longer to answer than a process waits for it at its start. */
async function startAgain(restart: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await restart();
    } catch (error) {
      if (attempt === startAttempts) throw error;
    }
  }
}

/** Transactions of other programs that stay open: one has a number of its own, one a snapshot of the changes. */
class LongTransactions {
  readonly #url: string;
  #clients: readonly Client[] = [];

  constructor(url: PostgresSite["url"]) {
    this.#url = url;
  }

  async begin(): Promise<void> {
    await this.end();
    const begun = ["SELECT pg_current_xact_id()", "SELECT count(*) FROM change"].map(
      async (sql) => {
        const client = new Client({ connectionString: this.#url });
        client.on("error", () => undefined);
        await client.connect();
        await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
        await client.query(sql);
        return client;
      },
    );
    this.#clients = await Promise.all(begun);
  }

  async end(): Promise<void> {
    for (const client of this.#clients) await client.end().catch(() => undefined);
    this.#clients = [];
  }
}
