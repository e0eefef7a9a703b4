// Finds files in the data folder and beside the store that do not belong to Sluice: they may contain data that no deletion
// reaches. Removes nothing.

import { readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Config } from "./config.ts";
import { sqlitePath } from "./files/sqlite-path.ts";
import { codeOf } from "./files/file-error.ts";
import { isUploadFolder } from "./open-uploads.ts";
import { isUnfinishedNote } from "./unfinished-files.ts";

/** The files of SQLite, the lock of the serving process, and the copy of a restore in progress. */
const besideStore = /^(?:|-wal|-shm|-journal|\.serving|\.restoring(?:|-wal|-shm|-journal))$/;
const ledger = /^deletion-ledger-[\w-]+\.(?:ndjson|lock)$/;
/** Created by the file system where the folder is a mount point. */
const bySystem: ReadonlySet<string> = new Set(["lost+found"]);

/** Absolute paths, in order. Leftovers of killed commands have to be removed before. */
export function findUnknownFiles(config: Config): readonly string[] {
  const store = sqlitePath(config.databaseUrl);
  const folders = new Set([resolve(config.dataDir)]);
  if (store !== undefined) folders.add(dirname(store));
  return [...folders].flatMap((folder) =>
    list(folder)
      .filter((name) => !isKnown(config, join(folder, name), store))
      .map((name) => join(folder, name))
      .sort(),
  );
}

function isKnown(config: Config, path: string, store: string | undefined): boolean {
  const name = basename(path);
  if (bySystem.has(name) || path === resolve(config.receiptKeyFile)) return true;
  if (store !== undefined && path.startsWith(store)) {
    return besideStore.test(path.slice(store.length));
  }
  const isData = dirname(path) === resolve(config.dataDir);
  return isData && (ledger.test(name) || isUnfinishedNote(name) || isUploadFolder(name));
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    // With a store on a server there may be no folder.
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
