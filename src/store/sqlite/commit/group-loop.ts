// Runs jobs in the groups that the scheduler forms, one transaction after another, and answers each job after the
// commit of its group. All writes use this, in the writer thread and in commands.

import { unavailable } from "../../../domain/error.ts";
import { limits } from "../../../domain/limits.ts";
import { countBytes, GroupScheduler } from "../../group/group-scheduler.ts";
import type { GroupFigures } from "../../interface/store.ts";
import type { Connection } from "../connection.ts";
import { countRows, isOperation, type Job, type Result } from "./job.ts";
import { organizationOf, runsAlone } from "./operation.ts";
import { runJobs } from "./run-jobs.ts";

export interface Task {
  readonly job: Job;
  readonly answer: (result: Result) => void;
}

export interface GroupLoopOptions {
  /** Called before a group is chosen, to add the jobs that have arrived meanwhile. */
  readonly receive?: () => void;
  /** Called after the jobs of a group have been answered. */
  readonly onGroup?: ((figures: GroupFigures) => void) | undefined;
  /** Called when there is nothing to do until another job arrives; jobs may have been refused since the last group. */
  readonly onIdle?: () => void;
}

export class GroupLoop {
  readonly #connection: Connection;
  readonly #options: GroupLoopOptions;
  readonly #scheduler = new GroupScheduler<Task>();
  #timer: NodeJS.Timeout | undefined;
  #refusesWrites = false;

  constructor(connection: Connection, options: GroupLoopOptions = {}) {
    this.#connection = connection;
    this.#options = options;
  }

  add(task: Task): void {
    const { job } = task;
    if (this.#refusesWrites && !isOperation(job)) return answer(task, stopping());
    if (this.#scheduler.size >= limits.queuedWritesMax) return answer(task, tooMany());
    this.#scheduler.add(
      {
        item: task,
        organizationId: isOperation(job) ? organizationOf(job) : job.organizationId,
        rows: countRows(job),
        bytes: isOperation(job) ? 0 : countBytes(job.drafts),
        alone: isOperation(job) && runsAlone(job.name),
      },
      performance.now(),
    );
  }

  /** Refuses waiting and later writes of records. The current group finishes, and operations are still run. */
  refuseWrites(): void {
    this.#refusesWrites = true;
    for (const task of this.#scheduler.takeAll()) this.add(task);
  }

  /** Works until there is nothing to do before another job arrives. */
  run(): void {
    clearTimeout(this.#timer);
    for (;;) {
      this.#options.receive?.();
      const group = this.#scheduler.take(performance.now());
      if (group === undefined) break;
      const jobs = group.items.map(({ job }) => job);
      const startedAt = performance.now();
      const results = runJobs(this.#connection, jobs);
      const endedAt = performance.now();
      this.#scheduler.ran(group.lane, endedAt - startedAt, endedAt);
      for (const [index, task] of group.items.entries()) answer(task, results[index]);
      this.#options.onGroup?.({ writes: jobs.length, seconds: (endedAt - startedAt) / 1_000 });
    }
    this.#options.onIdle?.();
    const nextAt = this.#scheduler.nextAt();
    if (nextAt === undefined) return;
    this.#timer = setTimeout(() => this.run(), Math.max(1, nextAt - performance.now()));
  }
}

function answer({ answer: give }: Task, result: Result | undefined): void {
  give(result ?? { ok: false, error: new TypeError("a job of a group has no result") });
}

function stopping(): Result {
  return { ok: false, error: unavailable("closing") };
}

function tooMany(): Result {
  return { ok: false, error: unavailable("busy", { retryAfterSeconds: 1 }) };
}
