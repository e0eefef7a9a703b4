// Runs groups of jobs of one kind, each group in one transaction. Holds no SQL.

import { AppError } from "../../../domain/error.ts";
import type { RecordKey, Sighting } from "../../../domain/record/record-write.ts";
import { countBytes, isLongList } from "../../group/group-scheduler.ts";
import type { GroupFigures } from "../../store.ts";
import type { Database } from "../database.ts";
import { requestDeletion } from "../../sql/deletion.ts";
import { GroupQueue } from "./group-queue.ts";
import type { Job, JobResult, RequestJob, WriteJob } from "./job.ts";
import type { Transaction } from "../transaction.ts";
import { findRecords } from "./record.ts";
import { keyText } from "../record-key.ts";
import { WriteGroups } from "./write-group.ts";

export interface JobQueue {
  submit(job: Job): Promise<JobResult>;
  /** Accepts no more jobs, and rejects waiting ones with AppError unavailable. */
  refuse(): void;
  /** Accepts no more jobs, and finishes those that wait. */
  close(): Promise<void>;
}

/** Long lists have their own queue, and so their own connection: nobody else waits for one. */
export function makeJobQueue(
  database: Database,
  onGroup: ((figures: GroupFigures) => void) | undefined,
): JobQueue {
  const writeGroups = new WriteGroups(database);
  const makeQueue = () =>
    new GroupQueue<Job, JobResult>({
      run: (jobs) => {
        const writes = jobs.filter((job): job is WriteJob => job.kind === "write");
        if (writes.length === jobs.length) return writeGroups.run(writes.map(({ write }) => write));
        return runRequests(database, jobs as readonly RequestJob[]);
      },
      organizationOf: (job) => (job.kind === "write" ? job.write : job.request).organizationId,
      rowsOf,
      bytesOf,
      kindOf: ({ kind }) => kind,
      onGroup,
    });
  const [queue, longQueue] = [makeQueue(), makeQueue()];
  return {
    submit: (job) => {
      const isLong = isLongList({ rows: rowsOf(job), bytes: bytesOf(job) });
      return (isLong ? longQueue : queue).submit(job);
    },
    refuse: () => {
      queue.refuse();
      longQueue.refuse();
    },
    close: async () => void (await Promise.all([queue.close(), longQueue.close()])),
  };
}

/** Concurrent lookups share a transaction. */
export function makeLookUpQueue(database: Database): GroupQueue<RecordKey, Sighting | null> {
  return new GroupQueue<RecordKey, Sighting | null>({
    run: async (keys) => {
      const organizations = new Set(keys.map(({ organizationId }) => organizationId));
      const found = await database.inOneGo({ organizations }, (transaction) =>
        findRecords(transaction, keys),
      );
      return keys.map((key) => found.get(keyText(key)) ?? null);
    },
    organizationOf: ({ organizationId }) => organizationId,
    rowsOf: () => 1,
    bytesOf: () => 0,
    kindOf: () => "look-up",
  });
}

function rowsOf(job: Job): number {
  return job.kind === "write" ? Math.max(1, job.write.drafts.length) : 1;
}

function bytesOf(job: Job): number {
  return job.kind === "write" ? countBytes(job.write.drafts) : 0;
}

function runRequests(
  database: Database,
  jobs: readonly RequestJob[],
): Promise<readonly JobResult[]> {
  const organizations = new Set(jobs.map(({ request }) => request.organizationId));
  return database.transaction({ organizations }, async (transaction) => {
    const results: JobResult[] = [];
    for (const job of jobs) results.push(await runRequest(transaction, job));
    return results;
  });
}

/** An error that the caller caused is thrown before anything is written. */
async function runRequest(
  transaction: Transaction,
  { request, act }: RequestJob,
): Promise<JobResult> {
  try {
    const deletionRequestId = await transaction.perform(requestDeletion, request, act);
    return { ok: true, deletionRequestId };
  } catch (error) {
    if (error instanceof AppError) return { ok: false, error };
    throw error;
  }
}
