// The command line as a process of its own, for tests of what only a process has: streams, signals, an exit code.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Outcome } from "./command-line.ts";

const bin = fileURLToPath(new URL("../../bin/sluice.js", import.meta.url));

export function runProgram(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Outcome> {
  return runProcess([process.execPath, bin, ...words], environment);
}

export async function runProcess(
  [program = "", ...words]: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const { PATH = "" } = process.env;
  const child = spawn(program, words, {
    env: { PATH, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code: code ?? -1, out, err };
}
