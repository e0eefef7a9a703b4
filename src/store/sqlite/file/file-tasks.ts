// The tasks of the thread that works on the database file. Starts the thread when it is first needed. Tasks run one at
// a time, in the order of the calls.

import { SerialQueue } from "../../../basics/serial-queue.ts";
import { Calls, startThread } from "../../../basics/thread.ts";
import { StoreError } from "../../interface/store-error.ts";
import type { SharedDescriptor } from "./store-file.ts";
import type { Tasks } from "./file-thread.ts";

export class FileTasks {
  readonly #thread: Calls<Tasks>;
  readonly #tasks = new SerialQueue();

  constructor(path: string, file: SharedDescriptor) {
    this.#thread = new Calls({
      start: () =>
        startThread(import.meta.url, "file-thread", {
          workerData: { path, descriptor: file.get() },
          // The descriptor that scrubbing uses belongs to the main thread.
          trackUnmanagedFds: false,
        }),
      closed: () => new StoreError("The store is closed."),
      ended: (cause) =>
        cause ?? new StoreError("The thread that works on the store's file has ended."),
    });
  }

  /** Has the thread do a task (file-thread.ts). */
  ask<Name extends keyof Tasks>(
    name: Name,
    ...args: Parameters<Tasks[Name]>
  ): Promise<Awaited<ReturnType<Tasks[Name]>>> {
    return this.#tasks.run(() => this.#thread.open().call(name, args));
  }

  /** Allows the WAL to be restarted once all of it is checkpointed. */
  async unpin(): Promise<void> {
    if (this.#thread.isRunning) await this.ask("unpin");
  }

  /** Call before the descriptor is released. */
  close(): Promise<void> {
    return this.#thread.close();
  }
}
