// The thread of an uploaded file: inspects or imports it, so that parsing never blocks the thread that serves requests. Reads
// only that file, and has no connection to the store.

import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { serveUpload } from "./bulk/upload/serve-upload.ts";
import type { UploadTask } from "./bulk/upload/messages.ts";

/** As the bulk thread. */
const niceness = 5;

const port = parentPort;
if (port === null) throw new Error("an import must run in a worker thread");

try {
  setPriority(niceness);
} catch {
  // A sandbox may forbid it; then all threads have the same priority.
}
await serveUpload(port, (workerData as { readonly task: UploadTask }).task);
port.close();
