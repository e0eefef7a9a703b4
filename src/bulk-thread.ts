// The bulk thread: reads large bodies and streams of records, so that the thread that serves requests never waits for it.
// Opens its own way to the store, serves the tasks that it is sent, and ends when it is told to.

import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { serveTasks } from "./http/bulk/serve-tasks.ts";
import { openRecordWriter } from "./store/open-record-writer.ts";
import type { SharedWriterData } from "./store/store.ts";

/** Below the threads that single requests wait for (Linux gives each thread a priority of its own). */
const niceness = 5;

const port = parentPort;
if (port === null) throw new Error("the bulk thread runs in a thread of its own");

try {
  setPriority(niceness);
} catch {
  // Where a sandbox forbids it, only the machine's scheduler decides who goes first.
}
const writer = await openRecordWriter((workerData as { readonly shared: SharedWriterData }).shared);
await serveTasks(port, writer);
await writer.close();
port.close();
