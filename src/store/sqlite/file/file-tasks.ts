// The tasks of the thread that works on the database file. Starts the thread when it is first needed. Tasks run one at
// a time, in the order of the calls.

import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { nextMessage, startThread } from "../../../basics/thread.ts";
import { SerialQueue } from "../../../basics/serial-queue.ts";
import { StoreError } from "../../interface/store-error.ts";
import type { SharedDescriptor } from "./store-file.ts";
import type { TaskAnswer, TaskMessage, Tasks } from "./file-thread.ts";

export class FileTasks {
  readonly #path: string;
  readonly #file: SharedDescriptor;
  #worker: Worker | undefined;
  #closed = false;
  readonly #tasks = new SerialQueue();

  constructor(path: string, file: SharedDescriptor) {
    this.#path = path;
    this.#file = file;
  }

  /** Has the thread do a task (file-thread.ts). */
  ask<Name extends keyof Tasks>(
    name: Name,
    ...args: Parameters<Tasks[Name]>
  ): Promise<Awaited<ReturnType<Tasks[Name]>>> {
    const answer = this.#tasks.run(() => this.#askNow({ name, args }));
    return answer as Promise<Awaited<ReturnType<Tasks[Name]>>>;
  }

  /** Allows the WAL to be restarted once all of it is checkpointed. */
  async unpin(): Promise<void> {
    if (this.#worker !== undefined) await this.ask("unpin");
  }

  /** Call before the descriptor is released. */
  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#worker = undefined;
    const gone = once(worker, "exit");
    worker.postMessage(null);
    await gone;
  }

  async #askNow(message: TaskMessage): Promise<unknown> {
    if (this.#closed) throw new StoreError("The store is closed.");
    this.#worker ??= this.#start();
    const worker = this.#worker;
    worker.postMessage(message);
    const ended = new StoreError("The thread that works on the store's file has ended.");
    const answer = await nextMessage<TaskAnswer>(worker, ended);
    if ("error" in answer) throw answer.error;
    return answer.value;
  }

  #start(): Worker {
    const worker = startThread(import.meta.url, "file-thread", {
      workerData: { path: this.#path, descriptor: this.#file.get() },
      // The descriptor that scrubbing uses belongs to the main thread.
      trackUnmanagedFds: false,
    });
    // The task in progress is rejected by nextMessage; the next task starts another thread.
    worker.on("error", () => undefined);
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }
}
