// Group commit: jobs that arrive while a group is committed wait, and share the next group. A single job does not wait
// for others. The scheduler decides which jobs a group contains, so that organizations take turns. One group is
// committed at a time, except that a large one may follow another large one before that has ended, on a connection of
// its own: while the server commits the one, this process prepares the next.

import { AppError, unavailable } from "../../../domain/error.ts";
import { limits } from "../../../domain/limits.ts";
import { type Arrival, GroupScheduler } from "../../group/group-scheduler.ts";
import type { GroupFigures } from "../../interface/store.ts";

/** Whose job it is, and how many rows, at least 1, and bytes it writes or reads. */
export type JobSize = Pick<Arrival<unknown>, "organizationId" | "rows" | "bytes">;

export interface GroupOptions<Job, Result> {
  /** Returns results in the order of the jobs. */
  readonly run: (jobs: readonly Job[]) => Promise<readonly Result[]>;
  readonly sizeOf: (job: Job) => JobSize;
  /** Jobs share a transaction only with jobs of their kind. */
  readonly kindOf: (job: Job) => string;
  /** Whether these groups may be committed in any order. Never, if omitted. */
  readonly areIndependent?: ((one: readonly Job[], other: readonly Job[]) => boolean) | undefined;
  readonly onGroup?: ((figures: GroupFigures) => void) | undefined;
}

/** From `gatherMin` jobs on it is worth waiting for more, but no longer than `gatherMs`. */
const gatherMin = 16;
const gatherMs = 1;

/** A larger group is worth a second transaction for the jobs that wait. */
const largeRowsMin = 400;

interface LargeGroup<Job> {
  readonly jobs: readonly Job[];
  readonly done: Promise<void>;
}

interface QueuedJob<Job, Result> {
  readonly job: Job;
  readonly rows: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export class GroupQueue<Job, Result> {
  readonly #options: GroupOptions<Job, Result>;
  readonly #scheduler = new GroupScheduler<QueuedJob<Job, Result>>({ longListsRest: false });
  #scheduled = false;
  /** How many jobs the last group and the queue had when it ended. */
  #expected = 0;
  #gathered: (() => void) | undefined;
  #current: Promise<void> | undefined;
  /** A large group in progress, while the next one may begin. */
  #earlier: LargeGroup<Job> | undefined;
  #waitingRows = 0;
  #closing = false;

  constructor(options: GroupOptions<Job, Result>) {
    this.#options = options;
  }

  /** Rejects with AppError unavailable if too many jobs are waiting, or if the queue is closing. */
  submit(job: Job): Promise<Result> {
    if (this.#closing) return Promise.reject(unavailable("closing"));
    if (this.#scheduler.size >= limits.queuedWritesMax) {
      return Promise.reject(unavailable("busy", { retryAfterSeconds: 1 }));
    }
    const size = this.#options.sizeOf(job);
    const { rows } = size;
    return new Promise((resolve, reject) => {
      const item = { job, rows, resolve, reject };
      this.#scheduler.add({ ...size, item, alone: false }, performance.now());
      this.#waitingRows += rows;
      if (this.#scheduler.size >= this.#expected) this.#gathered?.();
      this.#schedule();
    });
  }

  /** Accepts no more jobs, and rejects waiting ones with AppError unavailable; the current group finishes. */
  refuse(): void {
    this.#closing = true;
    for (const { reject } of this.#scheduler.takeAll()) reject(unavailable("closing"));
    this.#waitingRows = 0;
  }

  /** Accepts no more jobs, and finishes those that wait. */
  async close(): Promise<void> {
    this.#closing = true;
    while (this.#scheduler.size > 0 || this.#current !== undefined) await this.#start();
    await this.#earlier?.done;
  }

  /** Starts at the end of this event-loop tick, so that jobs of one tick share a group. */
  #schedule(): void {
    if (this.#scheduled || this.#current !== undefined) return;
    if (this.#earlier !== undefined && this.#waitingRows < largeRowsMin) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      void this.#start();
    });
  }

  /** Starts the next group unless one is being started; resolves when a further one may start. Never rejects. */
  #start(): Promise<void> {
    this.#current ??= this.#runNext();
    return this.#current;
  }

  async #runNext(): Promise<void> {
    const earlier = this.#earlier;
    if (earlier === undefined) await this.#gather();
    const group = this.#scheduler.take(performance.now())?.items ?? [];
    const jobs = group.map(({ job }) => job);
    const rows = group.reduce((sum, one) => sum + one.rows, 0);
    this.#waitingRows -= rows;
    const { areIndependent } = this.#options;
    if (earlier !== undefined && areIndependent?.(earlier.jobs, jobs) !== true) await earlier.done;
    const done = this.#runParts(group);
    // So there are never more than two.
    await earlier?.done;
    if (areIndependent !== undefined && rows >= largeRowsMin) this.#follow({ jobs, done });
    else await done;
    this.#expected = group.length + this.#scheduler.size;
    this.#current = undefined;
    if (this.#scheduler.size > 0) this.#schedule();
  }

  /** Lets the next group begin before this one has ended. */
  #follow(large: LargeGroup<Job>): void {
    this.#earlier = large;
    void large.done.finally(() => {
      if (this.#earlier === large) this.#earlier = undefined;
      if (this.#scheduler.size > 0) this.#schedule();
    });
  }

  /** Never rejects. */
  async #runParts(group: readonly QueuedJob<Job, Result>[]): Promise<void> {
    for (const part of this.#partsOf(group)) await this.#runGroup(part);
  }

  /**
   * Waits for more jobs while many clients are active. Clients that were just answered will probably send their next
   * request immediately, and one group with all jobs costs the server half as much as two that alternate. With few
   * clients, nobody waits.
   */
  async #gather(): Promise<void> {
    if (this.#expected < gatherMin || this.#scheduler.size >= this.#expected) return;
    const gathered = Promise.withResolvers<void>();
    this.#gathered = gathered.resolve;
    const timer = setTimeout(gathered.resolve, gatherMs);
    await gathered.promise;
    clearTimeout(timer);
    this.#gathered = undefined;
  }

  async #runGroup(group: readonly QueuedJob<Job, Result>[]): Promise<void> {
    if (group.length === 0) return;
    const startedAt = performance.now();
    try {
      const results = await this.#options.run(group.map(({ job }) => job));
      const seconds = (performance.now() - startedAt) / 1_000;
      this.#options.onGroup?.({ writes: group.length, seconds });
      resolveAll(group, results);
    } catch (error) {
      // One of the jobs may be the cause, and only that job should fail.
      if (group.length === 1 || error instanceof AppError) {
        for (const { reject } of group) reject(error);
      } else {
        for (const waiting of group) await this.#runGroup([waiting]);
      }
    }
  }

  /** Divides a group into consecutive jobs of one kind, so that all take effect in order. */
  #partsOf(group: readonly QueuedJob<Job, Result>[]): readonly QueuedJob<Job, Result>[][] {
    const parts: QueuedJob<Job, Result>[][] = [];
    let kind: string | undefined;
    for (const waiting of group) {
      const next = this.#options.kindOf(waiting.job);
      if (next === kind) parts.at(-1)?.push(waiting);
      else parts.push([waiting]);
      kind = next;
    }
    return parts;
  }
}

function resolveAll<Job, Result>(
  group: readonly QueuedJob<Job, Result>[],
  results: readonly Result[],
): void {
  results.forEach((result, index) => group[index]?.resolve(result));
  for (const { reject } of group.slice(results.length)) {
    reject(new TypeError("a job of a group has no result"));
  }
}
