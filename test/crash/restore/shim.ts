// The library that ends a process at its Nth disk step (kill-at.c), compiled when it is first
// needed, and processes that run with it.

import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../../cli/program.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

let library: string | undefined;

/** Throws the compiler's message where it fails; the campaign is for Linux. */
function compile(): string {
  if (library !== undefined) return library;
  const path = join(makeTempFolder(), "kill-at.so");
  const source = join(import.meta.dirname, "kill-at.c");
  execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", path, source, "-ldl"], { stdio: "pipe" });
  library = path;
  return path;
}

export interface KilledRun {
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Only steps under this folder count. */
  readonly folder: string;
  /** Messages to a server count too. */
  readonly messages?: boolean;
}

export interface RunEnd {
  readonly killed: boolean;
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The steps in order, up to the one before which it was killed. */
  readonly steps: readonly string[];
}

/**
 * Runs `sluice` and ends it before the step with this number, counted from 1; with 0 it runs to its
 * end.
 */
export async function runAndKill(run: KilledRun, at: number): Promise<RunEnd> {
  const log = join(makeTempFolder(), "steps");
  const { words, environment, folder, messages = false } = run;
  const { code, out, err } = await runProgram(words, {
    ...environment,
    LD_PRELOAD: compile(),
    KILL_AT: String(at),
    KILL_AT_LOG: log,
    KILL_AT_FOLDER: folder,
    ...(messages ? { KILL_AT_SOCKETS: "yes" } : {}),
  });
  const steps = readSteps(log);
  rmSync(log, { force: true });
  return { killed: code === -1, code, out, err, steps };
}

function readSteps(log: string): readonly string[] {
  try {
    return readFileSync(log, "utf8").trimEnd().split("\n");
  } catch {
    return [];
  }
}
