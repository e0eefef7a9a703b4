// Asks the thread that looks at the database file; starts it when it is first needed. One task is under way at a time.

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { StoreError } from "../store-error.ts";
import type { SharedDescriptor } from "./descriptor.ts";
import type { LogPart, LogPlace } from "./log-pages.ts";

export type LookTask =
  | { readonly task: "read log"; readonly place: LogPlace }
  | { readonly task: "bring in" }
  /** Without pages: the whole file. */
  | { readonly task: "wipe"; readonly pages: readonly number[] | undefined };

export interface LookAnswer {
  readonly part?: LogPart | undefined;
  readonly committed?: number;
  readonly error?: unknown;
}

export interface Look {
  /** Which pages came into the log after this place; undefined if that is not known any more. */
  readLog(place: LogPlace): Promise<LogPart | undefined>;
  /** Brings as much of the log into the file as can be without anybody waiting. Gives how many frames are committed. */
  bringIn(): Promise<number>;
  /** Overwrites what is in unused places of these pages, or of all. The file has to be frozen. */
  wipe(pages: readonly number[] | undefined): Promise<void>;
}

export class LookThread implements Look {
  readonly #path: string;
  readonly #file: SharedDescriptor;
  #worker: Worker | undefined;
  #closed = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string, file: SharedDescriptor) {
    this.#path = path;
    this.#file = file;
  }

  async readLog(place: LogPlace): Promise<LogPart | undefined> {
    return (await this.#ask({ task: "read log", place })).part;
  }

  async bringIn(): Promise<number> {
    return (await this.#ask({ task: "bring in" })).committed ?? 0;
  }

  async wipe(pages: readonly number[] | undefined): Promise<void> {
    await this.#ask({ task: "wipe", pages });
  }

  /** To be called before the descriptor is released. */
  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#worker = undefined;
    const gone = once(worker, "exit");
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker.postMessage(null);
    await gone;
  }

  #ask(task: LookTask): Promise<LookAnswer> {
    const mine = this.#last.then(() => this.#askNow(task));
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  async #askNow(task: LookTask): Promise<LookAnswer> {
    if (this.#closed) throw new StoreError("The store is closed.");
    this.#worker ??= this.#start();
    const worker = this.#worker;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker.postMessage(task);
    const answer = await nextAnswer(worker);
    if (answer.error !== undefined) throw answer.error;
    return answer;
  }

  #start(): Worker {
    // Both forms of this file have the thread's file beside them.
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const worker = new Worker(new URL(`./look-thread.${extension}`, import.meta.url), {
      workerData: { path: this.#path, descriptor: this.#file.get() },
      // The descriptor that wiping uses belongs to the main thread.
      trackUnmanagedFds: false,
    });
    // Whoever waits for an answer is told; that it ends is enough for the next one.
    worker.on("error", () => undefined);
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }
}

async function nextAnswer(worker: Worker): Promise<LookAnswer> {
  const over = new AbortController();
  const { signal } = over;
  try {
    return await Promise.race([
      once(worker, "message", { signal }).then(([answer]) => answer as LookAnswer),
      once(worker, "exit", { signal }).then(() => {
        throw new StoreError("The thread that looks at the store's file has ended.");
      }),
    ]);
  } finally {
    over.abort();
  }
}
