// The scrub mark, a file beside the store: which pages of the database may have residue in their free space, so that a
// new process need not scrub the whole file again. A mark that cannot be proven to be about this file, and about
// everything that was written to it since, counts as none. Two proofs are possible:
//
// The store is open, or its process was killed: the pages of the mark, and those of the WAL that the mark names. If the
// WAL still has the salts of the mark it was never restarted, so everything that was written since is in it. The store
// was closed: the pages of the mark, and no WAL. The file has the same inode, size and times as when it was closed, to
// the nanosecond, so nobody has written to it since.

import { createHash } from "node:crypto";
import { readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { writeOwnFile } from "../../../files/own-file.ts";
import { syncFolderOf } from "./private-file.ts";

export interface ScrubMark {
  /** What identifies the file: its inode; for a closed store, also its size and times. */
  readonly file: string;
  /** The salts of the WAL; undefined for a closed store. */
  readonly generation: string | undefined;
  /** The bits of a NumberSet. */
  readonly pages: Uint8Array;
}

/** Larger than the mark of the largest file. */
const markBytesMax = 16 * 1_024 * 1_024;
/** The clock of a file system may be this coarse; within one tick a second change is not visible in the times. */
const tickMs = 20;

function markPath(path: string): string {
  return `${path}.scrubbed`;
}

/** Reads the mark; undefined if there is none, or if it is incomplete. */
export function readMark(path: string): ScrubMark | undefined {
  const file = markPath(path);
  try {
    if (statSync(file).size > markBytesMax) return undefined;
    const [digest, text = ""] = readFileSync(file, "utf8").split("\n");
    if (digest !== digestOf(text)) return undefined;
    const mark = JSON.parse(text) as Omit<ScrubMark, "pages"> & { readonly pages: string };
    return { ...mark, pages: Buffer.from(mark.pages, "base64") };
  } catch {
    return undefined;
  }
}

/** Replaces the mark: after a power cut the file contains the old mark, this one, or an incomplete one. */
export function saveMark(path: string, { pages, ...mark }: ScrubMark): void {
  const text = JSON.stringify({ ...mark, pages: Buffer.from(pages).toString("base64") });
  const unfinished = `${markPath(path)}.new`;
  rmSync(unfinished, { force: true });
  writeOwnFile(unfinished, `${digestOf(text)}\n${text}`);
  renameSync(unfinished, markPath(path));
}

/** Durable when this returns: otherwise later times of the file might become durable first. */
export function removeMark(path: string): void {
  rmSync(markPath(path), { force: true });
  syncFolderOf(path);
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export function inodeOf(path: string): string {
  return `${statSync(path, { bigint: true }).ino}`;
}

export function stateOf(path: string): string {
  const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  return [ino, size, mtimeNs, ctimeNs].join(" ");
}

/**
 * Returns the state of a file that nobody can change while this runs: any later change makes it another one. Undefined
 * if that is uncertain, because the file system has only whole seconds or the clock was set back.
 */
export function lastingStateOf(path: string): string | undefined {
  const { ctimeNs } = statSync(path, { bigint: true });
  if (ctimeNs % 1_000_000_000n === 0n) return undefined;
  const waitMs = Number(ctimeNs / 1_000_000n) + tickMs - Date.now();
  if (waitMs > tickMs) return undefined;
  if (waitMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs);
  return stateOf(path);
}
