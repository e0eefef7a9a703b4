// The thread of an uploaded file: inspects or imports it, so that parsing never blocks the thread that serves requests.
// Reads only that file, and has no connection to the store.

import { parentPort, workerData } from "node:worker_threads";
import { serveUpload } from "./serve-upload.ts";
import type { UploadTask } from "./upload.ts";
import { lowerPriority } from "../../process/lower-priority.ts";

const port = parentPort;
if (port === null) throw new Error("an import must run in a worker thread");

lowerPriority();
await serveUpload(port, (workerData as { readonly task: UploadTask }).task);
port.close();
