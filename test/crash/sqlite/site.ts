// A store on SQLite with the server that runs on it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { programEnvironment } from "../../support/compiled.ts";
import { makeClient } from "../../support/http-client.ts";
import { type ServerProcess, startServerProcess } from "../../support/server-process.ts";
import { removeFolder } from "../../support/temp-folder.ts";
import { connect, environmentOf, makeSenders, type Site } from "../site.ts";
import { readStored } from "../stored.ts";

export interface SqliteSite extends Site {
  readonly databasePath: string;
  /** Undefined while it was killed. */
  server: RunningServer | undefined;
}

export interface RunningServer {
  readonly process: ServerProcess;
  kill(): Promise<void>;
}

/** Every server is one that was started on existing files, also the first one. */
export async function makeSqliteSite(seed: number, connectionsEach = 4): Promise<SqliteSite> {
  // Not removed automatically: if something is found, the files are the evidence.
  const folder = mkdtempSync(join(tmpdir(), "sluice-crash-"));
  const databasePath = `${folder}/sluice.db`;
  const environment = { ...environmentOf(folder, `sqlite:${databasePath}`), LOG_LEVEL: "warn" };
  const first = await startServerProcess(environment);
  const made = await makeSenders(environment, first.client, { seed, connectionsEach });
  await first.end("SIGTERM");
  const site: SqliteSite = {
    ...made,
    folder,
    environment,
    databasePath,
    server: undefined,
    readStored: () => Promise.resolve(readStored(databasePath)),
  };
  await startOn(site);
  return site;
}

/** Starts a server on the existing files, and connects every sender to it. */
export async function startOn(site: SqliteSite): Promise<RunningServer> {
  const server = await startServerProcess(site.environment);
  let killed = false;
  for (const sender of site.senders) connect(sender, makeClient(server.address), () => killed);
  const kill = async () => {
    killed = true;
    site.server = undefined;
    const end = await server.end("SIGKILL");
    if (end !== "SIGKILL") {
      site.ledger.findings.push(`the server ended by itself with ${end}: ${server.output().err}`);
    }
  };
  return (site.server = { process: server, kill });
}

const bin = fileURLToPath(new URL("../../../bin/sluice.js", import.meta.url));

/** Starts a server and kills it before it is ready, or just after. */
export async function killAtStart({ environment }: Site, afterMs: number): Promise<void> {
  const env = { ...programEnvironment("serve"), NODE_ENV: "production", ...environment };
  const child = spawn(process.execPath, [bin, "serve"], { env, stdio: "ignore" });
  const ended = once(child, "exit");
  await sleep(afterMs);
  child.kill("SIGKILL");
  await ended;
}

export async function endSqliteSite({ server, ledger, folder }: SqliteSite): Promise<void> {
  const end = await server?.process.end("SIGTERM");
  if (end !== 0) ledger.findings.push(`after the last check, SIGTERM ended the server with ${end}`);
  if (server !== undefined) ledger.findings.push(...complaints(server.process));
  if (ledger.findings.length === 0) removeFolder(folder);
  else ledger.findings.push(`the files are kept in ${folder}`);
}

/** The errors that the server logged; its log has one JSON object a line. */
export function complaints(server: ServerProcess): readonly string[] {
  const lines = server.output().err.split("\n");
  return lines
    .filter((line) => /^\{"level":"(?:error|fatal)",/.test(line))
    .map((line) => `logged: ${line}`);
}
