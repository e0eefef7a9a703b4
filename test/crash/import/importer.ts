// The importer as a separate process, killed at a point given by its progress and by chance, and
// started again until the file is imported.

import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { type Started, startProgram } from "../../cli/program.ts";
import type { Random } from "../../support/random.ts";
import { organizationId, type Place } from "./place.ts";
import type { Input } from "./input.ts";

export interface Importing {
  readonly place: Place;
  readonly input: Input;
  readonly file: string;
  readonly random: Random;
}

export function statePathOf({ file }: Pick<Importing, "file">): string {
  return `${file}.sluice-import.json`;
}

export function startImport({ place, input, file, random }: Importing): Started {
  const { server, environment, apiKey } = place;
  const words = ["import", file, "--type", "transaction", "--organization", organizationId];
  words.push("--connections", String(random.integer(1, 6)), "--json");
  if (input.update) words.push("--update");
  if (server !== undefined) words.push("--url", server.address);
  return startProgram(words, server === undefined ? environment : { SLUICE_API_KEY: apiKey });
}

export interface Noted {
  readonly rows: number;
  readonly written: number;
}

/** How far the importer says it has come; undefined before it has begun and after it has ended. */
export function readNoted(importing: Importing): Noted {
  try {
    const state = JSON.parse(readFileSync(statePathOf(importing), "utf8")) as {
      readonly done: readonly (readonly [from: number, to: number])[];
      readonly counts: { readonly written: number };
    };
    const rows = state.done.reduce((sum, [from, to]) => sum + to - from + 1, 0);
    return { rows, written: state.counts.written };
  } catch {
    return { rows: 0, written: 0 };
  }
}

/**
 * Resolves shortly after it has come that far, or when it has ended; or, for some, as soon as it
 * has started.
 */
export async function awaitMoment(importing: Importing, child: ChildProcess): Promise<void> {
  const { random, input } = importing;
  const atStart = random.chance(0.15);
  const goOnMs = random.integer(0, atStart ? 500 : 20);
  const before = readNoted(importing).rows;
  const wanted = random.integer(before + 1, Math.max(before + 1, input.counts.rows - 500));
  const isEarly = (): boolean => isRunning(child) && readNoted(importing).rows < wanted;
  if (!atStart) while (isEarly()) await sleep(1);
  const until = performance.now() + goOnMs;
  while (isRunning(child) && performance.now() < until) await new Promise(setImmediate);
}

export function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}
