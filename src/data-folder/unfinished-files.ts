// Files and folders that are being written under a temporary name, such as a backup. Each is recorded in the data
// folder before it is begun, so that the next process can find and remove what a killed process has left. Never removes
// a file that a process is still writing, nor a file with any other name.

import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { randomBytes } from "node:crypto";
import { codeOf } from "../files/file-error.ts";
import { syncFolder, temporaryName, writeOwnFile } from "../files/own-file.ts";
import { isPresent } from "../files/present.ts";
import { tryFileLock } from "../store/open-store.ts";
import { StoreError } from "../store/interface/store-error.ts";

/** The caller disposes of it when the file has its final name, or is removed. */
interface UnfinishedFile extends AsyncDisposable {
  /** The temporary name beside the file. */
  readonly path: string;
}

const noteName = /^unfinished-([0-9a-f]{12})\.(?:json|lock)$/;
const unfinishedName = /\.[0-9a-f]{12}\.unfinished$/;
/** What SQLite may leave beside a database. */
const suffixes = ["", "-journal", "-wal", "-shm"];
const lockPollMs = 5;
const lockMsMax = 10_000;

/** True for the names of these notes and of their locks, and of what is being written. */
export function isUnfinished(name: string): boolean {
  return name === commonLock || noteName.test(name) || unfinishedName.test(name);
}

/** `file`: an absolute path. The note is on stable storage then; without a data folder nothing is written. */
export async function noteUnfinished(folder: string, file: string): Promise<UnfinishedFile> {
  const path = temporaryName(file, "unfinished");
  if (!isPresent(folder, "The data folder")) {
    return { path, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const id = randomBytes(6).toString("hex");
  const lock = await underCommonLock(folder, () => {
    const mine = tryFileLock(lockPath(folder, id));
    if (mine === undefined) throw new StoreError(`The lock ${lockPath(folder, id)} is held.`);
    writeNote(folder, id, path);
    return mine;
  });
  return {
    path,
    [Symbol.asyncDispose]: () =>
      underCommonLock(folder, () => {
        forget(folder, id);
        lock.release();
      }),
  };
}

/** Removes what killed processes have left, and returns the paths of the files that existed. */
export async function removeUnfinished(folder: string): Promise<readonly string[]> {
  if (findNotes(folder).length === 0) return [];
  return underCommonLock(folder, () =>
    findNotes(folder).flatMap((id) => {
      const lock = tryFileLock(lockPath(folder, id));
      // The process that holds the lock is still writing.
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
      rmSync(path + suffix, { recursive: true });
      return [path + suffix];
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    }
  });
}

/** Undefined if its writer was killed before the note was complete; then the file was not begun. */
function readNote(folder: string, id: string): string | undefined {
  try {
    const { path } = JSON.parse(readFileSync(notePath(folder, id), "utf8")) as { path?: unknown };
    return typeof path === "string" ? path : undefined;
  } catch {
    return undefined;
  }
}

function writeNote(folder: string, id: string, path: string): void {
  writeOwnFile(notePath(folder, id), `${JSON.stringify({ path })}\n`);
  syncFolder(folder);
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

/** Only under it are locks created and removed, so that no process locks a file that was just removed. */
async function underCommonLock<Result>(folder: string, work: () => Result): Promise<Result> {
  const path = join(folder, commonLock);
  const until = performance.now() + lockMsMax;
  let lock: ReturnType<typeof tryFileLock>;
  while ((lock = tryFileLock(path)) === undefined) {
    if (performance.now() > until)
      throw new StoreError(`The lock ${path} has been held for too long.`);
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
