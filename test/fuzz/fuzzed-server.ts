// A server for unusual requests, its customers, and whether it is well after them.

import type { App } from "../../src/actions/app.ts";
import { fetchToken, makeCustomer } from "../support/customer.ts";
import { operate } from "../support/server.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import type { Scene } from "./fuzz-case.ts";

export async function withFuzzedServer<Result>(
  more: Readonly<Record<string, string>>,
  work: (server: ServerProcess, scene: Scene) => Promise<Result>,
): Promise<Result> {
  const folder = makeTempFolder();
  const environment = {
    PORT: "0",
    DATABASE_URL: `sqlite:${folder}/sluice.db`,
    DATA_DIR: folder,
    LOG_LEVEL: "error",
    ...more,
  };
  const server = await startServerProcess(environment);
  try {
    const scene = await operate(environment, (app) => makeScene(app, server));
    return await work(server, { ...scene, environment });
  } finally {
    await server.end("SIGTERM");
    removeFolder(folder);
  }
}

async function makeScene(app: App, { client }: ServerProcess): Promise<Omit<Scene, "environment">> {
  const first = await makeCustomer(app, client);
  const customers = [first, await makeCustomer(app, client)];
  const unwatched = await makeCustomer(app, client);
  const readerToken = await fetchToken(client, first, { scopes: ["person:read"] });
  return { customers, unwatched, readerToken };
}

/** Alive, ready, and without an error in its log that was not reported before. */
export async function checkServer(
  server: ServerProcess,
  logged: Set<string>,
): Promise<readonly string[]> {
  const { client, child } = server;
  const { err } = server.output();
  if (child.exitCode !== null || child.signalCode !== null) return [`the server ended: ${err}`];
  const { status, text } = await client.send({ method: "GET", path: "/health/ready" });
  const findings = err.split("\n").filter((line) => isLoggedError(line) && !logged.has(line));
  for (const line of findings) logged.add(line);
  if (status !== 200) findings.push(`the server is not ready: ${status} ${text}`);
  return findings;
}

/**
 * This process reads the store in parallel with the server, and on a busy machine a deletion may
 * have to wait for it.
 */
function isLoggedError(line: string): boolean {
  return (
    /^\{"level":"(?:error|fatal)",/.test(line) &&
    !line.includes("Another process is reading or writing")
  );
}
