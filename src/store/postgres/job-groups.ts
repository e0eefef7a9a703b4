// Runs groups of jobs of one kind, each group in one transaction. Holds no SQL.

import { AppError } from "../../domain/error.ts";
import type { RecordWrite } from "../../domain/record-write.ts";
import type { GroupFigures } from "../store.ts";
import type { Database } from "./database.ts";
import { requestDeletion } from "./deletion.ts";
import { GroupQueue } from "./group-queue.ts";
import type { Job, JobResult, RequestJob, WriteJob } from "./job.ts";
import type { Transaction } from "./transaction.ts";
import { WriteGroups } from "./write-group.ts";

export function makeJobQueue(
  database: Database,
  onGroup: ((figures: GroupFigures) => void) | undefined,
): GroupQueue<Job, JobResult> {
  const writeGroups = new WriteGroups(database);
  return new GroupQueue({
    run: (jobs) => {
      const writes = jobs.filter((job): job is WriteJob => job.kind === "write");
      if (writes.length === jobs.length) return writeGroups.run(writes.map(({ write }) => write));
      return runRequests(database, jobs as readonly RequestJob[]);
    },
    organizationOf: (job) => (job.kind === "write" ? job.write : job.request).organizationId,
    rowsOf: (job) => (job.kind === "write" ? Math.max(1, job.write.drafts.length) : 1),
    bytesOf: (job) => (job.kind === "write" ? countBytes(job.write) : 0),
    kindOf: ({ kind }) => kind,
    onGroup,
  });
}

function countBytes({ drafts }: RecordWrite): number {
  let bytes = 0;
  for (const { payload } of drafts) bytes += payload.length;
  return bytes;
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

/** What a caller can cause is found before anything is written. */
async function runRequest(
  transaction: Transaction,
  { request, act }: RequestJob,
): Promise<JobResult> {
  try {
    const deletionRequestId = await requestDeletion(transaction, request, act);
    return { ok: true, deletionRequestId };
  } catch (error) {
    if (error instanceof AppError) return { ok: false, error };
    throw error;
  }
}
