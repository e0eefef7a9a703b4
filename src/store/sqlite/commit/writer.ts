// How the store asks for writes: of the writer thread, or of a connection of its own in commands.

import { setImmediate as endOfTick } from "node:timers/promises";
import type { MessagePort } from "node:worker_threads";
import { AppError } from "../../../domain/error.ts";
import type { GroupFigures } from "../../store.ts";
import type { Connection } from "../connection.ts";
import { GroupLoop } from "./group-loop.ts";
import type { Job, Result } from "./job.ts";

export interface Writer {
  /** Rejects with AppError unavailable when too much is waiting, or when the writer is closing. */
  submit(job: Job): Promise<unknown>;
  /** Where a thread writes: refuses the writes of records that wait, of all its clients, and those that come later. */
  readonly refuseWrites?: () => void;
  /** Takes nothing more from now on, finishes what waits, awaits `before`, then closes. */
  close(before?: () => Promise<void>): Promise<void>;
  /** Where a thread writes: a port for one more client of it, to be transferred to the client's thread. */
  readonly connect?: () => MessagePort;
}

export type OnGroup = ((figures: GroupFigures) => void) | undefined;

/** Writes where it is called, and blocks while it does: it starts at once, and a command waits for its writes anyway. */
export class LocalWriter implements Writer {
  readonly #connection: Connection;
  readonly #loop: GroupLoop;
  #closing = false;

  constructor(connection: Connection, onGroup: OnGroup) {
    this.#connection = connection;
    this.#loop = new GroupLoop(connection, { onGroup });
  }

  submit(job: Job): Promise<unknown> {
    if (this.#closing) return Promise.reject(new AppError("unavailable"));
    return new Promise((resolve, reject) => {
      this.#loop.add({ job, answer: (result) => settle(result, { resolve, reject }) });
      void this.#run();
    });
  }

  /** The last connection to close empties the WAL into the database; beside a serving process that is not for commands. */
  async close(before?: () => Promise<void>): Promise<void> {
    this.#closing = true;
    await this.#run();
    await before?.();
    this.#connection.close();
  }

  /** What is asked for in one tick of the event loop shares a group. */
  async #run(): Promise<void> {
    await endOfTick();
    await this.#loop.run();
  }
}

export interface Settler {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export function settle(result: Result, { resolve, reject }: Settler): void {
  if (result.ok) resolve(result.value);
  else reject(result.error);
}
