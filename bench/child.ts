// Starts a server as a child process, reads its port, reports the processor time that it used, and stops it. Shows the
// standard error of the server only if it failed.

import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { cpuSecondsOf } from "./processor.ts";

export interface ServerProcess {
  readonly port: number;
  readonly pid: number;
  /** User and system time of all its threads; NaN if unknown. */
  cpuSeconds(): number;
  /** Throws if the server failed. */
  stop(): Promise<void>;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

const logCharactersKept = 4_000;

/** Runs a script of this project and waits for its line `Listening on http://HOST:PORT`. */
export async function startServer(
  script: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<ServerProcess> {
  const env = { ...process.env, ...environment };
  // In production, `serve` makes no store.
  const [program, command] = script;
  if (program !== undefined && command === "serve") {
    spawnSync(process.execPath, [program, "migrate"], { env, stdio: "ignore" });
  }
  const child = spawn(process.execPath, [...script], { env, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-logCharactersKept);
  });
  const port = await readPort(child);
  if (port === undefined) throw new Error(`${script.join(" ")} did not listen\n${log}`);
  return {
    port,
    pid: child.pid ?? 0,
    cpuSeconds: () => cpuSecondsOf(child.pid),
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGTERM");
        await once(child, "exit");
      }
      if (child.exitCode !== 0) {
        throw new Error(
          `${script.join(" ")} ended with ${child.exitCode ?? child.signalCode}\n${log}`,
        );
      }
    },
  };
}

async function readPort({ stdout }: Child): Promise<number | undefined> {
  for await (const line of createInterface({ input: stdout })) {
    const port = /^Listening on http:\/\/[^/]*:(\d+)/.exec(line)?.[1];
    if (port === undefined) continue;
    stdout.resume();
    return Number(port);
  }
  return undefined;
}
