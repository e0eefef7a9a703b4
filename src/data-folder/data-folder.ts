// Finds files in the data folder and beside the store that do not belong to Sluice: they may contain data that
// deletions do not erase; and finds out that an embedded store was lost. Removes nothing.

import { basename, dirname, join, resolve, sep } from "node:path";
import { OperatorError } from "../actions/operator/operator-error.ts";
import { closingLock } from "./closing-lock.ts";
import type { Config } from "../settings/config.ts";
import { actualPath } from "../files/actual-path.ts";
import { sqlitePath } from "../files/sqlite-path.ts";
import { isUnfinished } from "./unfinished-files.ts";
import { namesIn, statOf } from "../files/present.ts";
import { StoreError } from "../store/interface/store-error.ts";
import { sluice } from "../basics/program-name.ts";

/** The files of SQLite, the lock of the serving process, the note of a move, and the copy of a restore in progress. */
const besideStore =
  /^(?:|-wal|-shm|-journal|\.serving|\.moved|\.scrubbed(?:\.new)?|\.restoring(?:|-wal|-shm|-journal|\.serving))$/;
const ledger = /^deletion-ledger-[\w-]+\.(?:ndjson|lock)$/;
/** Created by the file system if the folder is a mount point. */
const bySystem: ReadonlySet<string> = new Set(["lost+found"]);

/** Inside it, records would be a finding of `sluice check`. Throws OperatorError output. */
export function requireOutsideData(config: Config, path: string): void {
  const wanted = actualPath(resolve(path));
  const inside = dataFolders(config).find((folder) =>
    `${wanted}${sep}`.startsWith(`${folder}${sep}`),
  );
  if (inside === undefined) return;
  throw new OperatorError(
    "output",
    `${resolve(path)} is in the folder ${inside} of the store, where no deletion would reach what is written, and check reports ` +
      "what does not belong to Sluice. Name a place elsewhere.",
  );
}

function dataFolders({ databaseUrl, dataDir }: Config): readonly string[] {
  const store = sqlitePath(databaseUrl);
  return [
    ...new Set([actualPath(resolve(dataDir)), ...(store === undefined ? [] : [dirname(store)])]),
  ];
}

/** Returns absolute paths, in order. Remains of killed commands have to be removed before. */
export function findUnknownFiles(config: Config): readonly string[] {
  const store = sqlitePath(config.databaseUrl);
  return dataFolders(config).flatMap((folder) =>
    namesIn(folder)
      .filter((name) => !isKnown(config, join(folder, name), store))
      .map((name) => join(folder, name))
      .sort(),
  );
}

function isKnown(config: Config, path: string, store: string | undefined): boolean {
  const name = basename(path);
  const key = resolve(config.receiptKeyFile);
  if (bySystem.has(name) || path === join(actualPath(dirname(key)), basename(key))) return true;
  if (store !== undefined && path.startsWith(store)) return isOfStore(path, store);
  const isData = dirname(path) === actualPath(resolve(config.dataDir));
  return isData && (name === closingLock || ledger.test(name) || isUnfinished(name));
}

/** True for an embedded store and the files beside it. */
export function isOfStore(path: string, store: string): boolean {
  return path.startsWith(store) && besideStore.test(path.slice(store.length));
}

/** Throws StoreError if the file is missing or empty, but its ledger is there: an empty one would hide the loss. */
export function refuseLostStore({
  databaseUrl,
  dataDir,
}: Pick<Config, "databaseUrl" | "dataDir">): void {
  const path = sqlitePath(databaseUrl);
  if (path === undefined || (statOf(path, "The store")?.size ?? 0) > 0) return;
  const ledgerName = namesIn(dataDir).find((name) => /^deletion-ledger-.+\.ndjson$/.test(name));
  if (ledgerName === undefined) return;
  throw new StoreError(
    `There is no store at ${path}, but ${join(dataDir, ledgerName)} is the ledger of one. Check DATA_DIR, and DATABASE_URL: ` +
      `if the store is in PostgreSQL, it has to be set as for the server. If the store was lost, run \`${sluice} restore\` with a backup. To begin with an empty store, move the ledger to another folder.`,
  );
}
