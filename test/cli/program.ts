// The command line as a separate process, for tests of streams, signals and exit codes.

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { programEnvironment } from "../support/compiled.ts";
import type { Outcome } from "./command-line.ts";

const bin = fileURLToPath(new URL("../../bin/sluice.js", import.meta.url));

type Environment = Readonly<Record<string, string>>;

export interface Started {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly ended: Promise<Outcome>;
}

export function runProgram(words: readonly string[], environment: Environment): Promise<Outcome> {
  return startProgram(words, environment).ended;
}

export function startProgram(words: readonly string[], environment: Environment): Started {
  const env = { ...programEnvironment(words[0]), ...environment };
  return startProcess([process.execPath, bin, ...words], env);
}

/** `code` is -1 for a process that a signal ended. */
export function startProcess(
  [program = "", ...words]: readonly string[],
  environment: Environment,
): Started {
  const child = spawn(program, words, {
    env: { ...programEnvironment(), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const ended = once(child, "close").then(([code]: (number | null)[]) => ({
    code: code ?? -1,
    out,
    err,
  }));
  return { child, ended };
}
