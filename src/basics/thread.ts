// Starts threads, and waits for the answer of one. Never restarts a thread.

import { once } from "node:events";
import { Worker, type WorkerOptions } from "node:worker_threads";

/** `caller`: its `import.meta.url`. The thread's file is beside the caller's, both as source and when built. */
export function startThread(caller: string, name: string, options?: WorkerOptions): Worker {
  return new Worker(new URL(name + caller.slice(caller.lastIndexOf(".")), caller), options);
}

/** The next message of the thread. Rejects with the thread's error, or with `ended` if it ends before. */
export async function nextMessage<Message>(thread: Worker, ended: Error): Promise<Message> {
  const over = new AbortController();
  const { signal } = over;
  try {
    return await Promise.race([
      once(thread, "message", { signal }).then(([message]) => message as Message),
      once(thread, "exit", { signal }).then(() => {
        throw ended;
      }),
    ]);
  } finally {
    over.abort();
  }
}
