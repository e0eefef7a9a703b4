// The writer that the store sends its jobs to: the writer thread or, in commands, a connection in the same thread.

import { setImmediate as endOfTick } from "node:timers/promises";
import type { MessagePort } from "node:worker_threads";
import { unavailable } from "../../../domain/error.ts";
import type { GroupFigures } from "../../interface/store.ts";
import type { Connection } from "../connection.ts";
import { GroupLoop } from "./group-loop.ts";
import type { Job, Result } from "./job.ts";

export interface Writer {
  /** Rejects with AppError unavailable if too many jobs are waiting, or if the writer is closing. */
  submit(job: Job): Promise<unknown>;
  /** A writer in a thread refuses waiting and later writes of records, of all clients. */
  readonly refuseWrites?: () => void;
  /** Accepts no more jobs and finishes those that wait; awaits `before`, which can still submit some; then closes. */
  close(before?: (submit: Writer["submit"]) => Promise<void>): Promise<void>;
  /** A writer in a thread returns a port for another client, to be transferred to the client's thread. */
  readonly connect?: () => MessagePort;
}

export type OnGroup = ((figures: GroupFigures) => void) | undefined;

/** In the calling thread, which it blocks: it starts at once, and a command waits for its writes anyway. */
export class LocalWriter implements Writer {
  readonly #connection: Connection;
  readonly #loop: GroupLoop;
  #closing = false;

  constructor(connection: Connection, onGroup: OnGroup) {
    this.#connection = connection;
    this.#loop = new GroupLoop(connection, { onGroup });
  }

  submit(job: Job): Promise<unknown> {
    return this.#closing ? Promise.reject(unavailable("closing")) : this.#submit(job);
  }

  #submit(job: Job): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#loop.add({ job, answer: (result) => finishJob(result, { resolve, reject }) });
      void this.#run();
    });
  }

  /** Closing the last connection checkpoints the WAL; while a store is served, this is not the last. */
  async close(before?: (submit: Writer["submit"]) => Promise<void>): Promise<void> {
    this.#closing = true;
    await this.#run();
    await before?.((job) => this.#submit(job));
    this.#connection.close();
  }

  async #run(): Promise<void> {
    await endOfTick();
    this.#loop.run();
  }
}

export interface PendingJob {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export function finishJob(result: Result, { resolve, reject }: PendingJob): void {
  if (result.ok) resolve(result.value);
  else reject(result.error);
}
