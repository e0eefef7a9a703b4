// A server as an operator runs it, with its default limits and a fresh store, the organizations of
// the good client and of the abuser, and the processes of both.

import { join } from "node:path";
import { makeCustomer } from "../support/customer.ts";
import { type PostgresServer, startPostgres } from "../support/postgres/postgres-server.ts";
import { operate } from "../support/server.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import type { Engine } from "../campaign/campaign.ts";
import type { Target } from "./abuse.ts";
import { AskedChild } from "./child-messages.ts";

export interface Site {
  readonly server: ServerProcess;
  readonly pid: number;
  readonly target: Target;
  readonly good: AskedChild;
  readonly abuser: AskedChild;
  readonly postgres: PostgresServer | undefined;
  close(): Promise<void>;
}

/** `settings`: of PostgreSQL. `environment`: what else is set for the server. */
export async function openSite(
  engine: Engine,
  {
    settings = { max_connections: "200" },
    environment: added = {},
  }: Partial<Record<"settings" | "environment", Readonly<Record<string, string>>>> = {},
): Promise<Site> {
  const folder = makeTempFolder();
  const postgres =
    engine === "postgres" ? await startPostgres({ durable: true, settings }) : undefined;
  const url = (await postgres?.makeDatabase()) ?? `sqlite:${folder}/sluice.db`;
  const own = { PORT: "0", DATABASE_URL: url, DATA_DIR: folder, LOG_LEVEL: "error" };
  const environment = { ...added, ...own };
  const server = await startServerProcess(environment);
  const [mine, others] = await operate(environment, async (app) => [
    await makeCustomer(app, server.client),
    await makeCustomer(app, server.client),
  ]);
  if (mine === undefined || others === undefined) throw new Error("an organization is missing");
  const { organizationId, token, apiKey } = others;
  const good = new AskedChild(join(import.meta.dirname, "good-client-process.ts"));
  const abuser = new AskedChild(join(import.meta.dirname, "abuser-process.ts"));
  const { address } = server;
  await good.ask("start", { address, token: mine.token });
  return {
    server,
    pid: server.child.pid ?? 0,
    target: { address, organizationId, token, apiKey, environment },
    good,
    abuser,
    postgres,
    close: () => close({ server, good, abuser, postgres, url, folder }),
  };
}

async function close(parts: {
  readonly server: ServerProcess;
  readonly good: AskedChild;
  readonly abuser: AskedChild;
  readonly postgres: PostgresServer | undefined;
  readonly url: string;
  readonly folder: string;
}): Promise<void> {
  const { server, good, abuser, postgres, url, folder } = parts;
  await Promise.all([good.end(), abuser.end()]);
  await server.end("SIGTERM");
  await postgres?.dropDatabase(url);
  await postgres?.remove();
  removeFolder(folder);
}
