// The bulk thread: reads large bodies and streams of records, so that they never block the thread that serves requests. Has
// its own connection to the store, processes the tasks that it is sent, and ends when it receives the message `close`.

import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { serveTasks } from "./http/bulk/serve-tasks.ts";
import { openRecordWriter } from "./store/open-record-writer.ts";
import type { SharedWriterData } from "./store/store.ts";

/** A lower priority than the threads that single requests wait for; on Linux each thread has its own. */
const niceness = 5;

const port = parentPort;
if (port === null) throw new Error("the bulk thread must run in a worker thread");

try {
  setPriority(niceness);
} catch {
  // A sandbox may forbid it; then all threads have the same priority.
}
const writer = await openRecordWriter((workerData as { readonly shared: SharedWriterData }).shared);
await serveTasks(port, writer);
await writer.close();
port.close();
