// The service in a separate process, as an operator runs it, so that a test can send it signals or
// kill it.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { sqlitePath } from "../../src/files/sqlite-path.ts";
import { readConfig } from "../../src/settings/config.ts";
import { programEnvironment } from "./compiled.ts";
import { type Client, makeClient } from "./http-client.ts";
import { openTestStore } from "./test-store.ts";

const ownBin = fileURLToPath(new URL("../../bin/sluice.js", import.meta.url));

export interface ServerProcess {
  readonly address: string;
  readonly client: Client;
  readonly child: ChildProcess;
  /** Its standard output and standard error so far. */
  output(): { readonly out: string; readonly err: string };
  /** Waits for the end; returns the exit code, or the signal that ended it. */
  ended(): Promise<number | NodeJS.Signals | null>;
  /** Sends the signal, and waits for the end. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

/** In production, a server makes no store itself. What is wrong with the store, the server itself has to say. */
async function makeStore(
  environment: Readonly<Record<string, string>>,
  [program = "", ...words]: readonly string[],
): Promise<void> {
  if (program !== process.execPath) {
    spawnSync(program, [...words, "migrate"], { env: environment, stdio: "ignore" });
    return;
  }
  const { databaseUrl } = readConfig(environment);
  const path = sqlitePath(databaseUrl);
  if (path !== undefined && existsSync(path)) return;
  const store = await openTestStore(databaseUrl, { role: "command" }).catch(() => undefined);
  await store?.close();
}

/**
 * Rejects, with its output, if the process ends before it listens. `bin`: of another copy of the
 * source. `under`: a command that executes this one.
 */
export async function startServerProcess(
  environment: Readonly<Record<string, string>>,
  { bin = ownBin, under = [] }: { readonly bin?: string; readonly under?: readonly string[] } = {},
): Promise<ServerProcess> {
  const [program, ...words] = [...under, process.execPath, bin, "serve"];
  const env = { ...programEnvironment("serve"), NODE_ENV: "production", ...environment };
  if (env.NODE_ENV === "production") await makeStore(env, [...under, process.execPath, bin]);
  const child = spawn(program, words, { env, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  let err = "";
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  const address = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString();
      const line = /^Listening on (http:\S+)$/m.exec(out);
      if (line?.[1] !== undefined) resolve(line[1]);
    });
    ended.then(
      ([code]) => reject(new Error(`the server ended with ${code} before it listened:\n${err}`)),
      reject,
    );
  });
  const client = makeClient(address);
  const waitForEnd = async () => {
    const [code, endedBy] = await ended;
    client.close();
    return code ?? endedBy;
  };
  return {
    address,
    client,
    child,
    output: () => ({ out, err }),
    ended: waitForEnd,
    end: (signal) => {
      child.kill(signal);
      return waitForEnd();
    },
  };
}
