// The work of the thread of an upload, done in this process: starting a thread takes longer than most tests. The
// messages go through a channel as they do between threads.

import { EventEmitter } from "node:events";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { UploadTask } from "../../../src/feature/upload/upload.ts";
import type { StartUploadThread, UploadThread } from "../../../src/feature/upload/run-in-thread.ts";

export const uploadInProcess: StartUploadThread = (task) => {
  const { port1, port2 } = new MessageChannel();
  const thread = new EventEmitter();
  port1.on("message", (message) => thread.emit("message", message));
  void serve(port2, structuredClone(task));
  return Object.assign(thread, {
    postMessage: port1.postMessage.bind(port1),
    terminate: async () => {
      port1.close();
      return 0;
    },
  }) as unknown as UploadThread;
};

/** The formats of files are loaded only by tests that upload one. */
async function serve(port: MessagePort, task: UploadTask): Promise<void> {
  const { serveUpload } = await import("../../../src/feature/upload/serve-upload.ts");
  await serveUpload(port, task);
}
