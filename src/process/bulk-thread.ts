// The bulk thread: reads large bodies and streams of records, so that they never block the thread that serves requests.
// Has its own connection to the store, processes the tasks that it receives, and ends when it receives the message
// `close`.

import { parentPort, workerData } from "node:worker_threads";
import { serveTasks } from "../http/bulk/serve-tasks.ts";
import { lowerPriority } from "./lower-priority.ts";
import { openRecordWriter } from "../store/open-record-writer.ts";
import type { SharedWriterData } from "../store/interface/store.ts";

const port = parentPort;
if (port === null) throw new Error("the bulk thread must run in a worker thread");

lowerPriority();
const { shared } = workerData as { readonly shared: SharedWriterData };
const writer = await openRecordWriter(shared);
await serveTasks(port, writer);
await writer.close();
port.close();
