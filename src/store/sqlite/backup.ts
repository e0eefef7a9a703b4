// Makes a backup of a store while it is served: one file, of one moment, that appears under its name only when it is whole.

import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { Worker } from "node:worker_threads";
import { StoreError } from "../store-error.ts";
import { openReader } from "./connection.ts";
import { makeFileBeside, syncFolderOf } from "./private-file.ts";

export interface BackupOptions {
  readonly file: string;
  /** How far it has come, in bytes; `all` is what it may come to at most. */
  readonly onProgress?: (done: number, all: number) => void;
}

const progressMs = 100;

/** Gives the size of the file in bytes. Throws StoreError. */
export async function backUpSqliteStore(path: string, options: BackupOptions): Promise<number> {
  const file = resolve(options.file);
  if (!existsSync(path)) throw new StoreError(`There is no store ${path} to back up.`);
  if (existsSync(file)) {
    throw new StoreError(`The file ${file} exists already; name another one, or remove it first.`);
  }
  let target: string | undefined;
  try {
    target = makeFileBeside(file);
    await copyInThread({ path, target, onProgress: options.onProgress });
    renameSync(target, file);
    syncFolderOf(file);
  } catch (cause) {
    if (target !== undefined) rmSync(target, { force: true });
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError(`The backup ${file} could not be made: ${why}.`, { cause });
  }
  return statSync(file).size;
}

interface Copying {
  readonly path: string;
  readonly target: string;
  readonly onProgress: BackupOptions["onProgress"];
}

async function copyInThread({ path, target, onProgress }: Copying): Promise<void> {
  const all = sizeOf(path);
  // Both forms of this file have the thread's file beside them.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const thread = new Worker(new URL(`./backup-thread.${extension}`, import.meta.url), {
    workerData: { path, target },
  });
  const timer = setInterval(() => onProgress?.(statSync(target).size, all), progressMs);
  try {
    await new Promise<void>((done, fail) => {
      thread.on("message", () => done());
      thread.on("error", fail);
      thread.on("exit", () => fail(new Error("the thread that copies has ended")));
    });
  } finally {
    clearInterval(timer);
  }
  onProgress?.(all, all);
}

function sizeOf(path: string): number {
  const reader = openReader(path);
  try {
    const pages = reader.get<{ page_count: number }>("PRAGMA page_count")?.page_count ?? 0;
    return pages * (reader.get<{ page_size: number }>("PRAGMA page_size")?.page_size ?? 0);
  } finally {
    reader.close();
  }
}
