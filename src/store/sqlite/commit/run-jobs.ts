// Runs a group of writes and operations in one transaction, each evaluated separately. A job that fails has no effect,
// and the others are committed.

import type { RequestAct } from "../../group/evaluate-requests.ts";
import { resultOf } from "../../group/result.ts";
import { openDeletions } from "../../sql/deletion/open-deletion.ts";
import { type Connection, asUnavailable, rollBack, savepoint } from "../connection.ts";
import { bringMarkIntoFile, markOpen } from "../file/open-mark.ts";
import { Group } from "./group.ts";
import { isOperation, type Job, type Result } from "./job.ts";
import {
  aloneOperations,
  type OperationJob,
  performInGroup,
  requestOf,
  runsAlone,
} from "./operation.ts";
import { addSingles, storeDrafts } from "./store-drafts.ts";

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
  let at = 0;
  for (let added = addSingles(group, jobs, at); added; added = addSingles(group, jobs, at)) {
    for (const value of added) results.push({ ok: true, value });
    at = results.length;
  }
  let requests: RequestAct[] = [];
  const openAll = (): void => {
    if (requests.length > 0) results.push(...openTogether(group, requests));
    requests = [];
  };
  for (const job of jobs.slice(at)) {
    const request = isOperation(job) ? requestOf(job) : undefined;
    if (request !== undefined) requests.push(request);
    else {
      openAll();
      results.push(perform(group, job));
    }
  }
  openAll();
  group.finish();
  return results;
}

/** Consecutive requests for deletions share their statements. */
function openTogether(group: Group, requests: readonly RequestAct[]): readonly Result[] {
  const results = group.connection.perform(openDeletions, requests);
  group.deletionsChanged();
  return results;
}

/** Returns errors that callers can cause as results, and throws any other error. */
function perform(group: Group, job: Job): Result {
  // A refused write has written nothing, so it needs no savepoint.
  return resultOf(() =>
    isOperation(job)
      ? savepoint(group.connection, () => performInGroup(group, job))
      : storeDrafts(group, job),
  );
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
