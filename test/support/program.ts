// A program in the background whose processes are killed, frozen and started again.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { childPids } from "./child-pids.ts";
import type { RunAs } from "./postgres/postgres-binaries.ts";

export interface Program {
  start(): void;
  /** Kills the program with everything that it started. */
  kill(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** The end of what it has printed. */
  said(): string;
}

/** `others`: processes that belong to it and are not its children. */
export function makeProgram(
  words: readonly string[],
  options: { readonly runAs?: RunAs; readonly others?: () => readonly number[] } = {},
): Program {
  const { runAs = {}, others = () => [] } = options;
  const [program = "", ...rest] = words;
  let child: ChildProcess | undefined;
  let said = "";
  const hear = (chunk: Buffer): void => void (said = (said + chunk.toString()).slice(-20_000));
  const signal = (name: NodeJS.Signals): void => {
    const roots = [...(child?.pid === undefined ? [] : [child.pid]), ...others()];
    for (const pid of roots.flatMap((root) => [root, ...descendants(root)])) {
      try {
        process.kill(pid, name);
      } catch {
        // It has ended.
      }
    }
  };
  const killAtExit = (): void => signal("SIGKILL");
  return {
    start: () => {
      child = spawn(program, rest, { ...runAs, cwd: "/", stdio: ["ignore", "pipe", "pipe"] });
      child.stdout?.on("data", hear);
      child.stderr?.on("data", hear);
      process.on("exit", killAtExit);
    },
    kill: async () => {
      process.off("exit", killAtExit);
      const running = child?.exitCode === null && child.signalCode === null ? child : undefined;
      const ended = running === undefined ? undefined : once(running, "exit");
      signal("SIGKILL");
      await ended;
      child = undefined;
    },
    signal,
    said: () => said,
  };
}

function descendants(pid: number): readonly number[] {
  return childPids(pid).flatMap((child) => [child, ...descendants(child)]);
}
