// The thread that writes: opens the store, then runs the groups that it is sent, one after another. Ends when it is sent
// null; never on its own.

import { parentPort, workerData } from "node:worker_threads";
import { type Connection, openWriter } from "./connection.ts";
import { flattenResults, type Job, unflattenJobs } from "./job.ts";
import { closeWriter } from "./log-file.ts";
import { migrate } from "./migrate.ts";
import type { FromWriter } from "./runner.ts";
import { loadWhatIsNeeded, runJobs } from "./writer.ts";

const port = parentPort;
if (port === null) throw new Error("the writer runs in a thread of its own");

try {
  const connection = openWriter((workerData as { readonly path: string }).path);
  migrate(connection);
  serve(connection);
  tell({ ready: true });
} catch (error) {
  tell({ failure: error instanceof Error ? error.message : String(error) });
  port.close();
}

function serve(connection: Connection): void {
  // One after another, also where one has to wait for what it needs.
  let last = Promise.resolve();
  port?.on("message", (message: readonly unknown[] | null) => {
    last = last.then(() =>
      message === null ? end(connection) : runGroup(connection, unflattenJobs(message)),
    );
  });
}

/** What can't be loaded ends the thread, and with it every write that waits. */
async function runGroup(connection: Connection, jobs: readonly Job[]): Promise<void> {
  await loadWhatIsNeeded(jobs);
  tell({ results: flattenResults(runJobs(connection, jobs)) });
}

function end(connection: Connection): void {
  closeWriter(connection);
  port?.close();
}

function tell(message: FromWriter): void {
  port?.postMessage(message);
}
