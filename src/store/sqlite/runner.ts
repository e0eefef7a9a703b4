// Where groups are run: in a thread of their own, or right here. Neither knows what is in a group.

import { Worker } from "node:worker_threads";
import { limits } from "../../domain/limits.ts";
import { StoreError } from "../store-error.ts";
import type { Connection } from "./connection.ts";
import { flattenJobs, type Job, type Result, unflattenResults } from "./job.ts";
import type { GroupFigures } from "../store.ts";
import { loadWhatIsNeeded, needsLoading, runJobs } from "./writer.ts";

/** Room for what the writer thread has just made: three times what V8 fills between two collections. */
const youngMebibytes = 12;

export type OnGroup = ((figures: GroupFigures) => void) | undefined;

export interface Runner {
  /** How many groups may be handed over before the first is answered. */
  readonly groupsAtOnce: number;
  /** Groups end in the order in which they were handed over. Rejects if the writer is gone. */
  run(jobs: readonly Job[]): Promise<readonly Result[]>;
  close(): Promise<void>;
}

/** Runs groups where it is called: starts at once, and blocks while it works. */
export function runHere(connection: Connection, onGroup: OnGroup): Runner {
  return {
    groupsAtOnce: 1,
    async run(jobs) {
      if (needsLoading(jobs)) await loadWhatIsNeeded();
      const startedAt = performance.now();
      const results = runJobs(connection, jobs);
      onGroup?.({ writes: jobs.length, seconds: (performance.now() - startedAt) / 1_000 });
      return results;
    },
    // The last connection to close brings the log into the database; beside a serving process that is not for commands.
    close: async () => connection.close(),
  };
}

/**
 * What the thread sends: `ready` once, or why it can't begin; then, for each commit, the results of every message that it
 * took, in order.
 */
export type FromWriter =
  | { readonly ready: true }
  | { readonly failure: string }
  | (GroupFigures & { readonly answers: readonly (readonly unknown[])[] });

/** Starts the thread that writes; resolves when its store is open. Throws StoreError if that fails. */
export async function startWriterThread(path: string, onGroup: OnGroup): Promise<Runner> {
  // Both forms of this file have the thread's file beside them.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`./writer-thread.${extension}`, import.meta.url), {
    workerData: { path },
    // It is never the thread that the others wait for, and what it makes is soon garbage.
    resourceLimits: { maxYoungGenerationSizeMb: youngMebibytes },
    // The descriptor that wiping uses belongs to the main thread.
    trackUnmanagedFds: false,
  });
  return runInThread(worker, onGroup);
}

/** Resolves when the thread says that it is ready; from then on it is the runner's. */
export async function runInThread(worker: Worker, onGroup: OnGroup): Promise<Runner> {
  const thread = new WriterThread(worker, onGroup);
  await thread.started;
  return thread;
}

class WriterThread implements Runner {
  readonly started: Promise<void>;
  /** The thread puts into one commit what has arrived by then, so that neither has to wait for the other. */
  readonly groupsAtOnce = limits.groupsAtOnce;
  readonly #worker: Worker;
  readonly #gone: Promise<void>;
  readonly #waiting: PromiseWithResolvers<readonly Result[]>[] = [];
  #failure: Error | undefined;

  constructor(worker: Worker, onGroup: OnGroup) {
    this.#worker = worker;
    const start = Promise.withResolvers<void>();
    this.started = start.promise;
    const gone = Promise.withResolvers<void>();
    this.#gone = gone.promise;
    worker.on("message", (message: FromWriter) => {
      if ("answers" in message) {
        onGroup?.(message);
        for (const results of message.answers) this.#answer(results);
      } else if ("failure" in message) start.reject(new StoreError(message.failure));
      else start.resolve();
    });
    worker.on("error", (cause) => this.#fail(cause));
    worker.on("exit", () => {
      this.#fail(undefined);
      start.reject(this.#failure);
      gone.resolve();
    });
  }

  async run(jobs: readonly Job[]): Promise<readonly Result[]> {
    if (this.#failure !== undefined) throw this.#failure;
    const answer = Promise.withResolvers<readonly Result[]>();
    this.#waiting.push(answer);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.#worker.postMessage(flattenJobs(jobs));
    return answer.promise;
  }

  async close(): Promise<void> {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.#worker.postMessage(null);
    await this.#gone;
  }

  #answer(results: readonly unknown[]): void {
    this.#waiting.shift()?.resolve(unflattenResults(results));
  }

  #fail(cause: unknown): void {
    this.#failure ??= new StoreError("The store's writer has stopped; restart the service.", {
      cause,
    });
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }
}
