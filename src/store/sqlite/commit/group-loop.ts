// Runs jobs in the groups that the scheduler forms, one transaction after another, and answers each job after the
// commit of its group. All writes use this, in the writer thread and in commands. Each job is evaluated separately: one
// that fails has no effect, and the others are committed.

import { unavailable } from "../../../domain/error.ts";
import { limits } from "../../../domain/limits.ts";
import { countBytes, GroupScheduler } from "../../group/group-scheduler.ts";
import type { GroupFigures } from "../../interface/store.ts";
import { type Connection, rollBack, savepoint } from "../connection.ts";
import { asUnavailable } from "../failure.ts";
import { countRows, isOperation, type Job, type Result, takeWhile } from "./job.ts";
import {
  organizationOf,
  runsAlone,
  aloneOperations,
  type OperationJob,
  performInGroup,
  requestOf,
} from "./operation.ts";
import { resultOf } from "../../group/packed-outcome.ts";
import { openDeletions } from "../../sql/deletion/open-deletion.ts";
import { bringMarkIntoFile, markOpen } from "../file/store-file.ts";
import { Group } from "./group.ts";
import { writeGroup } from "./write-group.ts";

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
      const before = process.threadCpuUsage();
      const results = runJobs(this.#connection, jobs);
      const { user, system } = process.threadCpuUsage(before);
      const endedAt = performance.now();
      this.#scheduler.ran(group.lane, (user + system) / 1_000, endedAt);
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

/** Returns the results in the order of the jobs. Never throws. An operation that runs alone must be the only job. */
export function runJobs(connection: Connection, jobs: readonly Job[]): readonly Result[] {
  const first = jobs[0];
  if (first !== undefined && isOperation(first) && runsAlone(first.name)) {
    return [runAlone(connection, first)];
  }
  return runGroup(connection, jobs);
}

function runGroup(connection: Connection, jobs: readonly Job[]): readonly Result[] {
  let results: readonly Result[];
  try {
    connection.run("BEGIN IMMEDIATE");
  } catch (error) {
    return failAll(jobs, error);
  }
  let isMarked: boolean;
  try {
    isMarked = markOpen(connection);
    results = performAll(connection, jobs);
  } catch (error) {
    rollBack(connection);
    // One of the jobs is the cause, and only that one should fail.
    if (jobs.length === 1) return failAll(jobs, error);
    return jobs.flatMap((job) => runGroup(connection, [job]));
  }
  try {
    connection.run("COMMIT");
    if (isMarked) bringMarkIntoFile(connection);
    return results;
  } catch (error) {
    rollBack(connection);
    return failAll(jobs, error);
  }
}

function performAll(connection: Connection, jobs: readonly Job[]): readonly Result[] {
  const group = new Group(connection);
  const results: Result[] = [];
  while (results.length < jobs.length) results.push(...performNext(group, jobs, results.length));
  group.storeArrival();
  return results;
}

/** Consecutive writes share their statements, and so do consecutive requests for deletions. */
function performNext(group: Group, jobs: readonly Job[], from: number): readonly Result[] {
  const writes = takeWhile(jobs, from, (job) => !isOperation(job) && job);
  if (writes.length > 0) return writeGroup(group, writes);
  const requests = takeWhile(jobs, from, (job) => isOperation(job) && requestOf(job));
  if (requests.length > 0) {
    const results = group.connection.perform(openDeletions, requests);
    group.deletionsChanged();
    return results;
  }
  const [operation] = takeWhile(jobs, from, (job) => isOperation(job) && job);
  if (operation === undefined) throw new RangeError(`there is no job ${from}`);
  // Returns errors that callers can cause as results, and throws any other error.
  return [resultOf(() => savepoint(group.connection, () => performInGroup(group, operation)))];
}

function runAlone(connection: Connection, { name, args }: OperationJob): Result {
  if (!runsAlone(name)) throw new TypeError(`${name} runs in a group`);
  try {
    const operation = aloneOperations[name] as (...all: readonly unknown[]) => unknown;
    return { ok: true, value: operation(connection, ...args) };
  } catch (error) {
    return { ok: false, error: asUnavailable(error) };
  }
}

function failAll(jobs: readonly Job[], cause: unknown): readonly Result[] {
  const error = asUnavailable(cause);
  return jobs.map(() => ({ ok: false, error }));
}
