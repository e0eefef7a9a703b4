// The thread that writes: opens the store, then runs the groups that it is sent, one after another. Ends when it is sent
// null; never on its own.

import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { limits } from "../../domain/limits.ts";
import { type Connection, openWriter } from "./connection.ts";
import { countItems, flattenResults, type Job, type Result, unflattenJobs } from "./job.ts";
import { closeWriter } from "./log-file.ts";
import { migrate } from "./migrate.ts";
import type { FromWriter } from "./runner.ts";
import { loadWhatIsNeeded, needsLoading, runJobs, standsAlone } from "./writer.ts";

const port = parentPort;
if (port === null) throw new Error("the writer runs in a thread of its own");

try {
  const connection = openWriter((workerData as { readonly path: string }).path);
  migrate(connection);
  serve(connection);
  tell({ ready: true });
  // Now, so that no writer has to wait for it when something is deleted first.
  void loadWhatIsNeeded();
} catch (error) {
  tell({ failure: error instanceof Error ? error.message : String(error) });
  port.close();
}

/**
 * Whatever has arrived by the time that a group begins is in it: messages that came while the last one was committed
 * share one commit.
 */
function serve(connection: Connection): void {
  const arrived: Message[] = [];
  let working: Promise<void> | undefined;
  port?.on("message", (message: Message) => {
    arrived.push(message);
    working ??= work().finally(() => (working = undefined));
  });

  /** What can't be loaded ends the thread, and with it every write that waits. */
  async function work(): Promise<void> {
    while (arrived.length > 0) {
      takeWhatIsThere(arrived);
      if (arrived[0] === null) return end(connection);
      const lists = takeGroup(arrived);
      const jobs = lists.flat();
      if (needsLoading(jobs)) await loadWhatIsNeeded();
      const startedAt = performance.now();
      const results = runJobs(connection, jobs);
      const seconds = (performance.now() - startedAt) / 1_000;
      tell({ answers: splitResults(results, lists), writes: jobs.length, seconds });
    }
  }
}

/** The jobs of one message, in their flat form; null asks the thread to end. */
type Message = readonly unknown[] | null;

function takeWhatIsThere(arrived: Message[]): void {
  if (port === null) return;
  for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) {
    arrived.push((next as { readonly message: Message }).message);
  }
}

/** At least one message; others join as long as the group keeps its bounds and none has to run alone. */
function takeGroup(arrived: Message[]): readonly (readonly Job[])[] {
  const lists: (readonly Job[])[] = [];
  let writes = 0;
  let items = 0;
  for (const message of arrived) {
    if (message === null) break;
    const jobs = unflattenJobs(message);
    writes += jobs.length;
    items += countItems(jobs);
    const fits = writes <= limits.groupWritesMax && items <= limits.groupItemsMax;
    if (lists.length > 0 && (!fits || jobs.some(standsAlone))) break;
    lists.push(jobs);
    if (jobs.some(standsAlone)) break;
  }
  arrived.splice(0, lists.length);
  return lists;
}

function splitResults(
  results: readonly Result[],
  lists: readonly (readonly Job[])[],
): readonly (readonly unknown[])[] {
  let from = 0;
  return lists.map(({ length }) => flattenResults(results.slice(from, (from += length))));
}

function end(connection: Connection): void {
  closeWriter(connection);
  port?.close();
}

function tell(message: FromWriter): void {
  port?.postMessage(message);
}
