// The work of the thread of an upload, done in this process: starting a thread takes longer than most tests. The
// messages go through a channel as they do between threads.

import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { StartUploadThread, UploadThread } from "../../../src/feature/upload/run-in-thread.ts";

export const uploadInProcess: StartUploadThread = () => {
  const { port1, port2 } = new MessageChannel();
  void serve(port2);
  const terminate = async () => {
    port1.close();
    port1.emit("exit", 0);
    return 0;
  };
  return Object.assign(port1, { terminate }) as unknown as UploadThread;
};

/** The formats of files are loaded only by tests that upload one. */
async function serve(port: MessagePort): Promise<void> {
  const { serveUpload } = await import("../../../src/feature/upload/serve-upload.ts");
  serveUpload(port);
}
