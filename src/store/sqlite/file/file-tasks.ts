// The tasks of the thread that works on the database file. Starts the thread when it is first needed. Tasks run one at
// a time, in the order of the calls.

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import { StoreError } from "../../store-error.ts";
import type { Obstacle, PlanCounts, PlanTarget } from "../../sql/plan.ts";
import type { SharedDescriptor } from "../erase/descriptor.ts";
import type { WalPart, WalPosition } from "./wal-pages.ts";

export type FileTask =
  | { readonly task: "read WAL"; readonly position: WalPosition }
  | { readonly task: "passive checkpoint" }
  | { readonly task: "checkpoint" }
  | { readonly task: "unpin" }
  | { readonly task: "collect plan"; readonly root: RecordKey }
  | { readonly task: "plan part"; readonly targetsMax: number }
  /** Without pages: the whole file. */
  | { readonly task: "scrub"; readonly pages: readonly number[] | undefined };

export interface CheckpointProgress {
  /** Frames in the WAL. */
  readonly walFrames: number;
  /** Those of them that are copied into the database file. */
  readonly copiedFrames: number;
}

export interface FileAnswer {
  readonly part?: WalPart | undefined;
  readonly committed?: number;
  readonly progress?: CheckpointProgress;
  readonly plan?: PlanCounts | Obstacle;
  readonly targets?: readonly PlanTarget[];
  readonly error?: unknown;
}

/** The tasks of completing deletions. */
export interface Scrubber {
  /** The pages that were written to the WAL after this position; undefined if that is not known any more. */
  readWal(position: WalPosition): Promise<WalPart | undefined>;
  /** Checkpoints without making anybody wait. Returns how many frames are committed. */
  passiveCheckpoint(): Promise<number>;
  /** Overwrites the free space of these pages, or of all. Checkpoints have to be frozen. */
  scrub(pages: readonly number[] | undefined): Promise<void>;
}

/** The tasks of planning a large cascade. */
export interface PlanCollector {
  /** Collects a plan and keeps it until the next one. Returns its size, or the obstacle. */
  collectPlan(root: RecordKey): Promise<PlanCounts | Obstacle>;
  /** The next targets of the plan that was collected last; empty at its end. */
  nextPlanPart(targetsMax: number): Promise<readonly PlanTarget[]>;
}

export class FileTasks implements Scrubber, PlanCollector {
  readonly #path: string;
  readonly #file: SharedDescriptor;
  #worker: Worker | undefined;
  #closed = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string, file: SharedDescriptor) {
    this.#path = path;
    this.#file = file;
  }

  async readWal(position: WalPosition): Promise<WalPart | undefined> {
    return (await this.#ask({ task: "read WAL", position })).part;
  }

  async passiveCheckpoint(): Promise<number> {
    return (await this.#ask({ task: "passive checkpoint" })).committed ?? 0;
  }

  async scrub(pages: readonly number[] | undefined): Promise<void> {
    await this.#ask({ task: "scrub", pages });
  }

  async collectPlan({
    organizationId,
    resourceType,
    resourceId,
  }: RecordKey): Promise<PlanCounts | Obstacle> {
    const root = { organizationId, resourceType, resourceId };
    const { plan } = await this.#ask({ task: "collect plan", root });
    if (plan === undefined) throw new TypeError("the thread has collected no plan");
    return plan;
  }

  async nextPlanPart(targetsMax: number): Promise<readonly PlanTarget[]> {
    return (await this.#ask({ task: "plan part", targetsMax })).targets ?? [];
  }

  /** Checkpoints without making anybody wait, and pins the WAL until `unpin`. */
  async checkpoint(): Promise<CheckpointProgress> {
    const { progress } = await this.#ask({ task: "checkpoint" });
    return progress ?? { walFrames: 0, copiedFrames: 0 };
  }

  /** Allows the WAL to be restarted once all of it is checkpointed. */
  async unpin(): Promise<void> {
    if (this.#worker !== undefined) await this.#ask({ task: "unpin" });
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

  #ask(task: FileTask): Promise<FileAnswer> {
    const mine = this.#last.then(() => this.#askNow(task));
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  async #askNow(task: FileTask): Promise<FileAnswer> {
    if (this.#closed) throw new StoreError("The store is closed.");
    this.#worker ??= this.#start();
    const worker = this.#worker;
    worker.postMessage(task);
    const answer = await nextAnswer(worker);
    if (answer.error !== undefined) throw answer.error;
    return answer;
  }

  #start(): Worker {
    // The thread's file is beside this one, both as source and when built.
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const worker = new Worker(new URL(`./file-thread.${extension}`, import.meta.url), {
      workerData: { path: this.#path, descriptor: this.#file.get() },
      // The descriptor that scrubbing uses belongs to the main thread.
      trackUnmanagedFds: false,
    });
    // The task in progress is rejected by nextAnswer; the next task starts another thread.
    worker.on("error", () => undefined);
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }
}

async function nextAnswer(worker: Worker): Promise<FileAnswer> {
  const over = new AbortController();
  const { signal } = over;
  try {
    return await Promise.race([
      once(worker, "message", { signal }).then(([answer]) => answer as FileAnswer),
      once(worker, "exit", { signal }).then(() => {
        throw new StoreError("The thread that works on the store's file has ended.");
      }),
    ]);
  } finally {
    over.abort();
  }
}
