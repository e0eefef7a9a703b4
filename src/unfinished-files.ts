// Files that are being made under a name for the time being, such as a backup: each is noted in the data folder before it is
// begun, so that what a killed process has left is found and removed by the next one. Removes nothing that a process is still
// making, and no file of any other name.

import { randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isPresent } from "./files/present.ts";
import { tryFileLock } from "./store/open-store.ts";
import { StoreError } from "./store/store-error.ts";

export interface UnfinishedFile {
  /** To be called when it has its own name, or is removed. */
  readonly done: () => Promise<void>;
}

const noteName = /^unfinished-([0-9a-f]{12})\.(?:json|lock)$/;
const unfinishedName = /\.[0-9a-f]{12}\.unfinished$/;
/** What SQLite may have left beside a database. */
const suffixes = ["", "-journal", "-wal", "-shm"];
const lockPollMs = 5;
const lockMsMax = 10_000;

/** A name beside the file that no file of anybody's has. */
export function unfinishedPath(file: string): string {
  return `${file}.${randomBytes(6).toString("hex")}.unfinished`;
}

/** Names in the data folder that these notes have. */
export function isUnfinishedNote(name: string): boolean {
  return name === commonLock || noteName.test(name);
}

/**
 * `path`: an absolute path made by unfinishedPath. On stable storage when it resolves. Where there is no data folder, as on a host
 * from which only commands are run, nothing is noted and nothing made.
 */
export async function noteUnfinished(folder: string, path: string): Promise<UnfinishedFile> {
  if (!isPresent(folder, "The data folder")) return { done: () => Promise.resolve() };
  const id = randomBytes(6).toString("hex");
  const lock = await underCommonLock(folder, () => {
    const mine = tryFileLock(lockPath(folder, id));
    if (mine === undefined) throw new StoreError(`The lock ${lockPath(folder, id)} is taken.`);
    writeNote(folder, id, path);
    return mine;
  });
  return {
    done: () =>
      underCommonLock(folder, () => {
        forget(folder, id);
        lock.release();
      }),
  };
}

/** Removes what killed processes have left; gives the paths of the files that were there. */
export async function removeUnfinished(folder: string): Promise<readonly string[]> {
  if (findNotes(folder).length === 0) return [];
  return underCommonLock(folder, () =>
    findNotes(folder).flatMap((id) => {
      const lock = tryFileLock(lockPath(folder, id));
      // Whoever holds it is still at work.
      if (lock === undefined) return [];
      const removed = removeNoted(folder, id);
      forget(folder, id);
      lock.release();
      return removed;
    }),
  );
}

function removeNoted(folder: string, id: string): readonly string[] {
  const path = readNote(folder, id);
  if (path === undefined || !unfinishedName.test(path)) return [];
  return suffixes.flatMap((suffix) => {
    try {
      rmSync(path + suffix);
      return [path + suffix];
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
      throw error;
    }
  });
}

/** Undefined if its writer was killed before it was whole; then the file was not begun. */
function readNote(folder: string, id: string): string | undefined {
  try {
    const { path } = JSON.parse(readFileSync(notePath(folder, id), "utf8")) as { path?: unknown };
    return typeof path === "string" ? path : undefined;
  } catch {
    return undefined;
  }
}

function writeNote(folder: string, id: string, path: string): void {
  const file = openSync(notePath(folder, id), "wx", 0o600);
  try {
    writeSync(file, `${JSON.stringify({ path })}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  const parent = openSync(folder, "r");
  try {
    fsyncSync(parent);
  } finally {
    closeSync(parent);
  }
}

function forget(folder: string, id: string): void {
  rmSync(notePath(folder, id), { force: true });
  rmSync(lockPath(folder, id), { force: true });
}

function findNotes(folder: string): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return [...new Set(names.flatMap((name) => noteName.exec(name)?.[1] ?? []))];
}

const commonLock = "unfinished.lock";

/** Locks are made and removed only under the common one, so that nobody locks a file that another has just removed. */
async function underCommonLock<Result>(folder: string, work: () => Result): Promise<Result> {
  const path = join(folder, commonLock);
  const until = performance.now() + lockMsMax;
  let lock: ReturnType<typeof tryFileLock>;
  while ((lock = tryFileLock(path)) === undefined) {
    if (performance.now() > until) throw new StoreError(`The lock ${path} is held for too long.`);
    await sleep(lockPollMs);
  }
  try {
    return work();
  } finally {
    lock.release();
  }
}

function notePath(folder: string, id: string): string {
  return join(folder, `unfinished-${id}.json`);
}

function lockPath(folder: string, id: string): string {
  return join(folder, `unfinished-${id}.lock`);
}
