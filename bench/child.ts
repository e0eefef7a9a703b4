// Starts a server as a process of its own, learns its port, tells what processor time it has used, and stops it.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

export interface ServerProcess {
  readonly port: number;
  /** Of all its threads, user and system; NaN where /proc does not tell. */
  cpuSeconds(): number;
  /** Throws if it did not end well. */
  stop(): Promise<void>;
}

/** Runs a script of this project and waits for its line `Listening on http://HOST:PORT`. */
export async function startServer(
  script: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [...script], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await readPort(child);
  child.stdout?.resume();
  return {
    port,
    cpuSeconds: () => cpuSecondsOf(child.pid),
    stop: async () => {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      const [code, signal] = await exited;
      if (code !== 0) throw new Error(`${script.join(" ")} ended with ${code ?? signal}`);
    },
  };
}

async function readPort(child: ChildProcess): Promise<number> {
  if (child.stdout === null) throw new Error("the server's output is not connected");
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /^Listening on http:\/\/[^/]*:(\d+)/.exec(line)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error("the server ended before it listened");
}

/** Fields 14 and 15 of /proc/PID/stat (proc_pid_stat(5)), in ticks of 10 milliseconds. */
export function cpuSecondsOf(pid: number | undefined): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
}
