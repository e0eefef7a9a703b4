// Edits of the ledger: bytes, lines, its end, and frames that somebody without a key makes
// consistent again.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { makeFrame, noDigest, parseFrame } from "../../src/store/ledger/ledger-frame.ts";
import type { Random } from "../support/random.ts";

export function flipByte(path: string, random: Random): string {
  const bytes = readFileSync(path);
  const at = random.integer(0, bytes.length - 1);
  const bit = random.integer(0, 7);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  writeFileSync(path, bytes);
  return `bit ${bit} of byte ${at} of the ledger is flipped`;
}

export function removeLine(path: string, random: Random): string {
  const lines = readLines(path);
  const at = random.chance(0.4) ? lines.length - 1 : random.integer(0, lines.length - 1);
  write(path, lines.toSpliced(at, 1));
  return `line ${at + 1} of ${lines.length} of the ledger is removed`;
}

export function cutEnd(path: string, random: Random): string {
  const bytes = readFileSync(path);
  const count = random.integer(2, Math.min(5_000, bytes.length - 1));
  writeFileSync(path, bytes.subarray(0, bytes.length - count));
  return `the last ${count} bytes of the ledger are cut off`;
}

export function removeLedger(path: string): string {
  rmSync(path);
  return "the ledger is removed";
}

/** An entry is changed or removed, and the digests of all frames after it are recomputed. */
export function rewriteFrames(path: string, random: Random): string | undefined {
  const frames = readLines(path).map((line) => parseFrame(Buffer.from(line))?.json ?? "[]");
  const at = random.integer(0, frames.length - 1);
  const entries = JSON.parse(frames[at] ?? "[]") as Record<string, unknown>[];
  const which = random.integer(0, entries.length - 1);
  const entry = entries[which];
  if (entry === undefined) return undefined;
  const isRemoved = random.chance(0.5);
  const outer = random.pick(Object.keys(entry).filter((key) => key !== "kind"));
  // A completion and a hold are objects in their entries.
  const isNested = outer === "completed" || outer === "hold";
  const members = isNested ? (entry[outer] as Record<string, unknown>) : entry;
  const name = isNested ? random.pick(Object.keys(members)) : outer;
  const value = members[name];
  if (isRemoved) entries.splice(which, 1);
  else if (typeof value === "number") members[name] = value + 1;
  else if (typeof value === "string") members[name] = changeText(name, value);
  else return undefined;
  frames[at] = JSON.stringify(entries);
  let previous = noDigest;
  const lines = frames.map((json) => {
    const { bytes, digest } = makeFrame(json, previous);
    previous = digest;
    return bytes.toString().trimEnd();
  });
  write(path, lines);
  const what = isRemoved ? "is removed" : `gets another ${name}`;
  return `entry ${which} (${String(entry["kind"])}) in line ${at + 1} of the ledger ${what}, and all frames fit`;
}

/** In the same form, so that the entry is still valid. */
function changeText(name: string, value: string): string {
  if (name === "resource_type") return value === "person" ? "company" : "person";
  if (/_at$|^at$/.test(name)) return new Date(Date.parse(value) + 1_000).toISOString();
  const last = value.at(-1) === "0" ? "1" : "0";
  return value.slice(0, -1) + last;
}

function readLines(path: string): readonly string[] {
  return readFileSync(path, "utf8").trimEnd().split("\n");
}

function write(path: string, lines: readonly string[]): void {
  writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
}
