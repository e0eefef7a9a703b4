// The thread that works on the database file beside the writer: it checkpoints the WAL, and it finds and overwrites what
// erasing left in unused places. As it does one task after another, it never checkpoints while it overwrites. Never
// writes through SQLite, and ends when it is sent null.

import { fdatasyncSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { Connection, openReader } from "./connection.ts";
import type { CheckpointProgress, FileAnswer, FileTask } from "./file-tasks.ts";
import { readLogPages } from "./log-pages.ts";
import { wipeResidue, wipeWholeFile } from "./unallocated.ts";

const { path, descriptor } = workerData as { readonly path: string; readonly descriptor: number };
let connection: Connection | undefined;
/** A read transaction that keeps the WAL from beginning anew before all of it may be given up. */
let pin: Connection | undefined;

function perform(task: FileTask): FileAnswer {
  switch (task.task) {
    case "read log":
      return { part: readLogPages(path, task.place) };
    case "bring in":
      return { committed: checkpoint().walFrames };
    case "checkpoint":
      return { progress: checkpointAndSync() };
    case "unpin":
      unpin();
      return {};
    case "wipe":
    default:
      if (task.pages === undefined) wipeWholeFile(descriptor);
      else wipeResidue(descriptor, task.pages);
      return {};
  }
}

/**
 * SQLite itself syncs the file only once the whole WAL is copied. Doing it here leaves little to sync for the writer,
 * which ends the checkpoint.
 */
function checkpointAndSync(): CheckpointProgress {
  renewPin();
  const progress = checkpoint();
  fdatasyncSync(descriptor);
  return progress;
}

/** Copies what no reader stands in the way of. Waits for nobody, and nobody waits for it. */
function checkpoint(): CheckpointProgress {
  connection ??= new Connection(path, { readOnly: false });
  const row = connection.get<{ log: number; checkpointed: number }>(
    "PRAGMA wal_checkpoint(PASSIVE)",
  );
  return {
    walFrames: Math.max(0, row?.log ?? 0),
    copiedFrames: Math.max(0, row?.checkpointed ?? 0),
  };
}

/** The next one begins before this one ends, so that there is never a gap in which the WAL could begin anew. */
function renewPin(): void {
  const before = pin;
  pin = openReader(path);
  pin.run("BEGIN");
  pin.get("SELECT value FROM meta WHERE name = 'schema_version'");
  before?.close();
}

function unpin(): void {
  pin?.close();
  pin = undefined;
}

parentPort?.on("message", (task: FileTask | null) => {
  if (task === null) {
    unpin();
    connection?.close();
    parentPort?.close();
    return;
  }
  let answer: FileAnswer;
  try {
    answer = perform(task);
  } catch (error) {
    answer = { error };
  }
  parentPort?.postMessage(answer);
});
