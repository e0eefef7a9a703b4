// What is in the folders of the store and of what is kept beside it. Names what does not belong there: it may hold data that no
// deletion reaches. Removes nothing.

import { readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type Config, sqlitePath } from "./config.ts";
import { isUnfinishedNote } from "./unfinished-files.ts";

/** SQLite's own, the lock of the serving process, and the copy that a restore under way is making. */
const besideStore = /^(?:|-wal|-shm|-journal|\.serving|\.restoring(?:|-wal|-shm|-journal))$/;
const ledger = /^deletion-ledger-[\w-]+\.(?:ndjson|lock)$/;
/** Made by the file system where the folder is a mounted disk. */
const bySystem: ReadonlySet<string> = new Set(["lost+found"]);

/** Absolute paths, in order. What a killed command left is to be removed before. */
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
  return isData && (ledger.test(name) || isUnfinishedNote(name));
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    // Of a store on a server, nothing need be here.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
