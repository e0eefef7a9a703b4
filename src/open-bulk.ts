// Gives the HTTP server its bulk thread: starts it with a way to the store of its own.

import { Worker } from "node:worker_threads";
import { BulkClient } from "./http/bulk/bulk-client.ts";
import type { Logger } from "./log.ts";
import type { RecordStore } from "./store/store.ts";

/** Heap of the thread: beyond it the thread ends and is started again, and the process goes on. */
const heapMebibytesMax = 256;
/** Room for what it has just made: enough for the work of many turns, and a bound where V8 would take more and keep it. */
const youngMebibytesMax = 24;

export function openBulk(
  store: Pick<RecordStore, "shareWriter" | "writtenElsewhere">,
  log: Logger,
): BulkClient {
  return new BulkClient({
    start: () => {
      const { data: shared, transfer } = store.shareWriter();
      // Both forms of this file have the thread's file beside them.
      const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
      return new Worker(new URL(`./bulk-thread.${extension}`, import.meta.url), {
        workerData: { shared },
        transferList: [...transfer],
        resourceLimits: {
          maxOldGenerationSizeMb: heapMebibytesMax,
          maxYoungGenerationSizeMb: youngMebibytesMax,
        },
      });
    },
    onWritten: () => store.writtenElsewhere(),
    onFailure: (error) => {
      log.error({ err: error }, "the bulk thread has ended; it is started again when needed");
    },
  });
}
