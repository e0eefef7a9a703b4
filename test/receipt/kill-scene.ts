// Data folders of a service that is killed while it processes deletions: prepared, copied, and searched for the bytes
// of records.

import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { App } from "../../src/actions/app.ts";
import { processDeletions } from "../../src/actions/deletion/process-deletions.ts";
import { programEnvironment } from "../support/compiled.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { findWord } from "./canary.ts";

const program = join(import.meta.dirname, "crash-process.ts");

export function copyOf(folder: string): string {
  const copy = makeTempFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
}

export async function processDue(app: App): Promise<void> {
  const stopping = new AbortController().signal;
  // What the killed process had claimed is claimed again once its lease has expired.
  const later = { ...app, now: () => Date.now() + 3_600_000 };
  for (;;) {
    const all = await processDeletions(later, { claimant: "test", stopping });
    assert.ok(all.every(({ result }) => result === "completed"));
    if (all.length === 0) return;
  }
}

export function filesWith(folder: string, word: string): readonly string[] {
  return readdirSync(folder).filter(
    (name) => Object.keys(findWord(readFileSync(join(folder, name)), word)).length > 0,
  );
}

/** Undefined if it was killed; otherwise how many points there were. */
export async function killAt(
  point: number,
  environment: Readonly<Record<string, string>>,
): Promise<number | undefined> {
  const child = fork(program, [`${point}`], { env: { ...programEnvironment(), ...environment } });
  let points: number | undefined;
  child.on("message", (message: { points: number }) => ({ points } = message));
  // The exit may be reported before the message.
  await Promise.all([once(child, "exit"), once(child, "disconnect")]);
  assert.equal(child.signalCode, points === undefined ? "SIGKILL" : null, `point ${point}`);
  return points;
}
