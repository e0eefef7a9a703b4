// The service in a separate process, as an operator runs it, so that a test can send it signals or
// kill it.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Client, makeClient } from "./http-client.ts";

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

/**
 * Rejects, with its output, if the process ends before it listens. `bin`: of another copy of the
 * source. `under`: a command that executes this one.
 */
export async function startServerProcess(
  environment: Readonly<Record<string, string>>,
  { bin = ownBin, under = [] }: { readonly bin?: string; readonly under?: readonly string[] } = {},
): Promise<ServerProcess> {
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  const [program, ...words] = [...under, process.execPath, bin, "serve"];
  const child = spawn(program, words, {
    env: { PATH, NODE_COMPILE_CACHE, NODE_ENV: "production", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
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
