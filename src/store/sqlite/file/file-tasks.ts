// The tasks of the thread that works on the database file. Starts the thread when it is first needed. Tasks run one at
// a time, in the order of the calls.

import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { nextMessage, startThread } from "../../../basics/thread.ts";
import { SerialQueue } from "../../../basics/serial-queue.ts";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { nodeKey } from "../../../domain/deletion/erasure.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import type { DeletionFigures } from "../../interface/deletion.ts";
import { StoreError } from "../../interface/store-error.ts";
import type {
  ErasedPreview,
  ErasedQuery,
  ExpiredPart,
  ExpiryQuery,
} from "../../interface/retention.ts";
import type { DryRunPart, DryRunQuery } from "../../interface/plan.ts";
import type { Obstacle } from "../../sql/plan/plan.ts";
import type { SharedDescriptor } from "../erase/descriptor.ts";
import type { PlanPart } from "../erase/large-plan.ts";
import type { CheckpointProgress } from "./checkpointer.ts";
import type { NewMark, TaskAnswer, TaskMessage, Tasks } from "./file-thread.ts";
import type { WalPart, WalPosition } from "./wal-pages.ts";

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

  /** Returns the pages that were written to the WAL after this position; undefined if that is no longer known. */
  readWal(position: WalPosition): Promise<WalPart | undefined> {
    return this.#ask("readWal", position);
  }

  /** Checkpoints without delaying anybody. Returns how many frames are committed. */
  passiveCheckpoint(): Promise<number> {
    return this.#ask("passiveCheckpoint");
  }

  /** Overwrites the free space of these pages, or of all. Checkpoints have to be frozen. */
  scrub(pages: readonly number[] | undefined): Promise<void> {
    return this.#ask("scrub", pages);
  }

  /** Replaces the scrub mark. */
  saveMark(mark: NewMark): Promise<void> {
    return this.#ask("saveMark", mark);
  }

  /** Collects a plan, or finds an obstacle, and keeps it until the next one. */
  collectPlan(
    { resourceType, resourceId }: Pick<RecordKey, "resourceType" | "resourceId">,
    deletion: Deletion,
    now: number,
  ): Promise<void> {
    return this.#ask("collectPlan", nodeKey(resourceType, resourceId), deletion, now);
  }

  /**
   * Returns the next part of the last collected plan, or the obstacle. At the end of the plan, the part has no targets.
   */
  nextPlanPart(targetsMax: number): Promise<PlanPart | Obstacle> {
    return this.#ask("nextPlanPart", targetsMax);
  }

  /**
   * Returns those of the next records that have expired. Finding them may need many reads, because each may have very
   * many records that belong to it.
   */
  findExpired(query: ExpiryQuery): Promise<ExpiredPart> {
    return this.#ask("findExpired", query);
  }

  /** Returns the plan of a deletion. */
  dryRun(query: DryRunQuery): Promise<DryRunPart> {
    return this.#ask("dryRun", query);
  }

  /** Returns what the deletions of expired records would erase with them. */
  previewErased(query: ErasedQuery): Promise<ErasedPreview> {
    return this.#ask("previewErased", query);
  }

  /** Counts all deletions, of which there may be millions. */
  deletionFigures(now: number): Promise<DeletionFigures> {
    return this.#ask("deletionFigures", now);
  }

  /** Returns what SQLite's own check of the file finds. */
  checkFile(): Promise<readonly string[]> {
    return this.#ask("checkFile");
  }

  /** Checkpoints without delaying anybody, and pins the WAL until `unpin`. */
  checkpoint(): Promise<CheckpointProgress> {
    return this.#ask("checkpoint");
  }

  /** Allows the WAL to be restarted once all of it is checkpointed. */
  async unpin(): Promise<void> {
    if (this.#worker !== undefined) await this.#ask("unpin");
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

  #ask<Name extends keyof Tasks>(
    name: Name,
    ...args: Parameters<Tasks[Name]>
  ): Promise<Awaited<ReturnType<Tasks[Name]>>> {
    const answer = this.#tasks.run(() => this.#askNow({ name, args }));
    return answer as Promise<Awaited<ReturnType<Tasks[Name]>>>;
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
