// Starts the bulk thread of the HTTP server with its own connection to the store.

import { startThread } from "../basics/thread.ts";
import { BulkClient } from "../http/bulk/bulk-client.ts";
import type { Logger } from "../log.ts";
import type { RecordStore } from "../store/interface/store.ts";

/** Heap limit of the thread: above it the thread ends and is restarted, and the process continues. */
const heapMebibytesMax = 256;

export function openBulk(store: RecordStore, log: Logger): BulkClient {
  return new BulkClient({
    start: () => {
      const { data: shared, transfer, youngMebibytesMax } = store.shareWriter();
      return startThread(import.meta.url, "bulk-thread", {
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
      log.error({ err: error }, "the bulk thread has ended; it will be restarted when needed");
    },
  });
}
