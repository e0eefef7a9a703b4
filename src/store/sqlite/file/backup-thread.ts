// The thread that makes a backup: copies a snapshot of the store into a new file, without free pages, and checks the
// copy. Writes to the store continue meanwhile; this thread never writes to it.

import { closeSync, fsyncSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

const { path, target } = workerData as { readonly path: string; readonly target: string };

const source = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
source.prepare("VACUUM INTO ?").run(target);
source.close();

const copy = new DatabaseSync(target);
// The mark of an open store (store-file.ts) is copied too, but the copy needs no WAL.
copy.exec("PRAGMA user_version = 0");
const result = copy.prepare("PRAGMA quick_check(1)").get()?.["quick_check"];
copy.close();
if (result !== "ok") throw new Error(`the copy is damaged: ${String(result)}`);

const file = openSync(target, "r+");
fsyncSync(file);
closeSync(file);
parentPort?.postMessage("done");
