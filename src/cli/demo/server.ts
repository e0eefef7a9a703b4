// The server that the demonstration talks to: `sluice serve` as a process of its own, so that the figures are those of a
// server that shares nothing with its client but the machine.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { OperatorError } from "../../actions/operator-error.ts";

export interface DemoServer {
  readonly address: string;
  /** Asks it to stop and waits; throws OperatorError unless it ends with 0. */
  stop(): Promise<void>;
  /** Ends it at once, if it still runs, and waits until its files are its own no more. */
  kill(): Promise<void>;
}

const program = fileURLToPath(new URL("../../../bin/sluice.js", import.meta.url));
const errorCharactersMax = 2_000;

/** The settings of a server on a free port that keeps everything in `folder`; production, so that it is born empty. */
export function serverEnvironment(folder: string): Readonly<Record<string, string>> {
  return {
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_URL: `sqlite:${join(folder, "sluice.db")}`,
    DATA_DIR: folder,
    LOG_LEVEL: "warn",
    NODE_ENV: "production",
    SHUTDOWN_DELAY_MS: "0",
  };
}

export async function startServer(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<DemoServer> {
  const child = spawn(process.execPath, [program, "serve"], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  let errors = "";
  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (text: string) => {
    errors = (errors + text).slice(-errorCharactersMax);
  });
  const died = ended.then(([code]): never => {
    throw new OperatorError(
      "server",
      `The server ended with ${code ?? "a signal"}. ${errors.trim()}`,
    );
  });
  const address = await Promise.race([readAddress(child), died]);
  died.catch(() => undefined);
  return {
    address,
    stop: async () => {
      child.kill("SIGTERM");
      const [code] = await ended;
      if (code !== 0) {
        throw new OperatorError(
          "server",
          `The server should end with 0 when asked to stop, not ${code}. ${errors.trim()}`,
        );
      }
    },
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

async function readAddress({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("the server's output is not piped");
  for await (const line of createInterface({ input: stdout })) {
    const address = /^Listening on (http:\S+)$/.exec(line)?.[1];
    if (address !== undefined) {
      stdout.resume();
      return address;
    }
  }
  return new Promise<never>(() => undefined);
}
