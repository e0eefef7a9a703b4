// Makes a backup of a store while it is served: a file with a snapshot, which gets its name only when it is complete.

import { linkSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { onlyMessage, startThread } from "../../../basics/thread.ts";
import { codeOf, FileError } from "../../../files/file-error.ts";
import { findObstacle } from "../../../files/path-obstacle.ts";
import { isPresent, statOf } from "../../../files/present.ts";
import { StoreError } from "../../interface/store-error.ts";
import { openReader } from "../connection.ts";
import { asDamaged } from "../failure.ts";
import { syncFolderOf } from "./private-file.ts";
import { databaseFiles } from "./restore.ts";
import { writeOwnFile } from "../../../files/own-file.ts";

export interface BackupOptions {
  /** An absolute path. */
  readonly file: string;
  /** The path while the backup is incomplete: in the same folder, with an unused name. */
  readonly unfinished: string;
  /** Progress in bytes; `all` is an upper bound. */
  readonly onProgress?: (done: number, all: number) => void;
}

const progressMs = 100;

/** Throws StoreError if a backup can't be made there, FileError if this user may not access the place. */
export function refuseBackupFile(file: string): void {
  if (isPresent(file, "The backup")) {
    throw new StoreError(`The file ${file} exists already; name another one, or remove it first.`);
  }
  const folder = dirname(file);
  if (statOf(folder, "The folder")?.isDirectory() !== true) {
    throw new StoreError(
      `There is no folder ${folder} for the backup. Create it, or mount its disk, first.`,
    );
  }
  const obstacle = findObstacle(file, "create");
  if (obstacle !== undefined) {
    throw new FileError(`The backup ${file} can't be created: ${obstacle}`);
  }
}

/** Returns the size of the file in bytes. Throws StoreError and FileError. */
export async function backUpSqliteStore(path: string, options: BackupOptions): Promise<number> {
  const { file, unfinished, onProgress } = options;
  if (!isPresent(path, "The store")) throw new StoreError(`There is no store ${path} to back up.`);
  refuseBackupFile(file);
  try {
    writeOwnFile(unfinished, "");
    await copyInThread({ path, target: unfinished, onProgress });
    renameUnlessPresent(unfinished, file);
    syncFolderOf(file);
  } catch (cause) {
    for (const left of databaseFiles(unfinished)) rmSync(left, { force: true });
    const why = cause instanceof Error ? cause.message : String(cause);
    const failed = new StoreError(`The backup ${file} could not be made: ${why}.`, { cause });
    throw asDamaged(path, cause) ?? failed;
  }
  return statSync(file).size;
}

/** Never replaces a file that was created there meanwhile, if the file system supports links. */
function renameUnlessPresent(unfinished: string, file: string): void {
  try {
    linkSync(unfinished, file);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw error;
    renameSync(unfinished, file);
    return;
  }
  rmSync(unfinished);
}

interface Copying {
  readonly path: string;
  readonly target: string;
  readonly onProgress: BackupOptions["onProgress"];
}

async function copyInThread({ path, target, onProgress }: Copying): Promise<void> {
  const all = sizeOf(path);
  const thread = startThread(import.meta.url, "backup-thread", { workerData: { path, target } });
  const timer = setInterval(() => onProgress?.(statSync(target).size, all), progressMs);
  try {
    await onlyMessage(thread, new Error("the thread that copies has ended"));
  } finally {
    clearInterval(timer);
  }
  onProgress?.(all, all);
}

function sizeOf(path: string): number {
  using reader = openReader(path);
  const pages = reader.get<{ page_count: number }>("PRAGMA page_count")?.page_count ?? 0;
  return pages * (reader.get<{ page_size: number }>("PRAGMA page_size")?.page_size ?? 0);
}
