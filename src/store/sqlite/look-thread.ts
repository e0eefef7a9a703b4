// The thread that looks at the database file for what erasing left there, and wipes it, so that neither requests nor writers
// wait for that. Does what it is told, one task after another; never writes through SQLite, and ends when it is sent null.

import { parentPort, workerData } from "node:worker_threads";
import { Connection } from "./connection.ts";
import { readLogPages } from "./log-pages.ts";
import type { LookAnswer, LookTask } from "./look.ts";
import { wipeResidue, wipeWholeFile } from "./unallocated.ts";

const { path, descriptor } = workerData as { readonly path: string; readonly descriptor: number };
let connection: Connection | undefined;

function perform(task: LookTask): LookAnswer {
  if (task.task === "read log") return { part: readLogPages(path, task.place) };
  if (task.task === "bring in") {
    // Whoever reads from the log or writes is not waited for, and does not wait.
    connection ??= new Connection(path, { readOnly: false });
    const row = connection.get<{ log: number }>("PRAGMA wal_checkpoint(PASSIVE)");
    return { committed: Math.max(0, row?.log ?? 0) };
  } else if (task.pages === undefined) {
    wipeWholeFile(descriptor);
  } else {
    wipeResidue(descriptor, task.pages);
  }
  return {};
}

parentPort?.on("message", (task: LookTask | null) => {
  if (task === null) {
    connection?.close();
    parentPort?.close();
    return;
  }
  let answer: LookAnswer;
  try {
    answer = perform(task);
  } catch (error) {
    answer = { error };
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage(answer);
});
