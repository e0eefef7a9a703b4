// The thread of an uploaded file: inspects or imports it, so that parsing never blocks the thread that serves requests.
// Reads only that file, and has no connection to the store. Whoever started it ends it.

import { parentPort } from "node:worker_threads";
import { serveUpload } from "./serve-upload.ts";
import { lowerPriority } from "../../process/lower-priority.ts";

if (parentPort === null) throw new Error("an import must run in a worker thread");

lowerPriority();
serveUpload(parentPort);
