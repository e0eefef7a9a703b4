// The tasks of the bulk thread, run in this process on a store that the test can make fail. The
// messages go through a channel as they do between threads.

import { MessageChannel } from "node:worker_threads";
import { BulkClient, type BulkThread } from "../../src/http/bulk/bulk-client.ts";
import type { RecordWrite } from "../../src/domain/record/record-write.ts";
import { serveTasks } from "../../src/http/bulk/serve-tasks.ts";
import type { RecordStore } from "../../src/store/interface/store.ts";

export function bulkInProcess(store: RecordStore): BulkClient {
  return new BulkClient({
    start: () => startTasks(store),
    onWritten: () => store.writtenElsewhere(),
    onFailure: (error) => {
      throw error;
    },
  });
}

export function startTasks(store: RecordStore): BulkThread {
  const { port1, port2 } = new MessageChannel();
  // The test may replace methods of its store.
  const writer = {
    streamLinesMax: 500,
    writeRecords: (write: RecordWrite) => store.writeRecords(write),
    refuseWrites: () => store.refuseWrites(),
  };
  void serveTasks(port2, writer).then(() => {
    port1.close();
    return port1.emit("exit", 0);
  });
  return port1 as unknown as BulkThread;
}
