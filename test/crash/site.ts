// One store with the organizations that write to it, across all the servers that are started on its
// files.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { makeCustomer } from "../support/customer.ts";
import { makeRecordGenerator } from "../support/record-generator.ts";
import { operate } from "../support/server.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import type { Contest } from "./acts-add.ts";
import { Ledger } from "./ledger.ts";
import type { Sender } from "./sender.ts";
import { makeClient } from "../support/http-client.ts";

export interface Site {
  readonly folder: string;
  readonly databasePath: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly ledger: Ledger;
  readonly senders: readonly Sender[];
  readonly contests: ReadonlyMap<string, Contest>;
}

const organizations = 2;
const connectionsEach = 4;

/**
 * Creates the organizations and their first tokens, on a server that is then stopped as an operator
 * would.
 */
export async function makeSite(seed: number): Promise<Site> {
  // Not removed automatically: if something is found, the files are the evidence.
  const folder = mkdtempSync(join(tmpdir(), "sluice-crash-"));
  const databasePath = `${folder}/sluice.db`;
  const environment = {
    PORT: "0",
    DATABASE_URL: `sqlite:${databasePath}`,
    DATA_DIR: folder,
    LOG_LEVEL: "warn",
    RATE_LIMIT_PER_SECOND: "0",
    DELETION_POLL_MS: "20",
  };
  const ledger = new Ledger();
  const senders: Sender[] = [];
  const server = await startServerProcess(environment);
  for (let number = 1; number <= organizations; number += 1) {
    const customer = await operate(environment, (app) => makeCustomer(app, server.client));
    for (let connection = 1; connection <= connectionsEach; connection += 1) {
      const name = `o${number}c${connection}`;
      senders.push({
        name,
        customer,
        generator: makeRecordGenerator(seed * 100 + senders.length, `${name}-`),
        ledger,
        client: makeClient(server.address),
        isKilled: () => false,
        token: customer.token,
        loners: [],
        families: [],
        openDeletions: [],
        acknowledged: [],
        count: 0,
        cutOff: false,
      });
    }
  }
  await server.end("SIGTERM");
  const ids = new Set(senders.map(({ customer }) => customer.organizationId));
  return {
    folder,
    databasePath,
    environment,
    ledger,
    senders,
    contests: new Map([...ids].map((id) => [id, makeContest()])),
  };
}

export interface RunningServer {
  readonly process: ServerProcess;
  kill(): Promise<void>;
}

/** Starts a server on the existing files, and connects every sender to it. */
export async function startOn(site: Site): Promise<RunningServer> {
  const server = await startServerProcess(site.environment);
  let killed = false;
  for (const sender of site.senders) {
    sender.client.close();
    sender.client = makeClient(server.address);
    sender.isKilled = () => killed;
    sender.cutOff = false;
  }
  return {
    process: server,
    kill: async () => {
      killed = true;
      const end = await server.end("SIGKILL");
      if (end !== "SIGKILL") {
        site.ledger.findings.push(`the server ended by itself with ${end}: ${server.output().err}`);
      }
    },
  };
}

const bin = fileURLToPath(new URL("../../bin/sluice.js", import.meta.url));

/** Starts a server and kills it before it is ready, or just after. */
export async function killAtStart({ environment }: Site, afterMs: number): Promise<void> {
  const { PATH = "" } = process.env;
  const env = { PATH, NODE_ENV: "production", ...environment };
  const child = spawn(process.execPath, [bin, "serve"], { env, stdio: "ignore" });
  const ended = once(child, "exit");
  await sleep(afterMs);
  child.kill("SIGKILL");
  await ended;
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
