// Runs groups of jobs of one kind, each group in one transaction. Contains no SQL.

import {
  keyText,
  type RecordKey,
  type Sighting,
  type RecordWrite,
} from "../../../domain/record/record-write.ts";
import { countBytes, isLongList } from "../../group/group-scheduler.ts";
import type { GroupFigures } from "../../interface/store.ts";
import type { Database } from "../database.ts";
import { GroupQueue, type JobSize } from "./group-queue.ts";
import { findRecords } from "./record.ts";
import { openDeletions } from "../../sql/deletion/open-deletion.ts";
import { WriteGroups } from "./write-group.ts";
import type { RequestAct } from "../../group/evaluate-requests.ts";
import type { PackedOutcome, Result } from "../../group/packed-outcome.ts";

export interface WriteJob {
  readonly kind: "write";
  readonly write: RecordWrite;
}

export interface RequestJob extends RequestAct {
  readonly kind: "request";
}

export type Job = WriteJob | RequestJob;

export type JobResult = Result<PackedOutcome | string | undefined>;

export interface JobQueue {
  submit(job: Job): Promise<JobResult>;
  /** Accepts no more jobs, and rejects waiting ones with AppError unavailable. */
  refuse(): void;
  /** Accepts no more jobs, and finishes those that wait. */
  close(): Promise<void>;
}

/** Three queues with connections of their own: requests wait for the audit trail, and long lists take long. */
export function makeJobQueue(
  database: Database,
  onGroup: ((figures: GroupFigures) => void) | undefined,
): JobQueue {
  const writes = makeQueue(database, onGroup, areIndependent);
  const requests = makeQueue(database, onGroup);
  const longLists = makeQueue(database, onGroup);
  const all = [writes, requests, longLists];
  const inOrder = new QueueByOrganization();
  return {
    submit: (job) => {
      if (isLongList(sizeOf(job))) return longLists.submit(job);
      return inOrder.submit(job, job.kind === "write" ? writes : requests);
    },
    refuse: () => all.forEach((queue) => queue.refuse()),
    close: async () => void (await Promise.all(all.map((queue) => queue.close()))),
  };
}

type Queue = GroupQueue<Job, JobResult>;

/** Keeps the order of an organization: while one of its jobs waits in a queue, its others join that queue. */
class QueueByOrganization {
  readonly #waiting = new Map<string, { readonly queue: Queue; jobs: number }>();

  async submit(job: Job, preferred: Queue): Promise<JobResult> {
    const { organizationId } = sizeOf(job);
    const used = this.#waiting.get(organizationId) ?? { queue: preferred, jobs: 0 };
    this.#waiting.set(organizationId, used);
    used.jobs += 1;
    try {
      return await used.queue.submit(job);
    } finally {
      used.jobs -= 1;
      if (used.jobs === 0) this.#waiting.delete(organizationId);
    }
  }
}

function makeQueue(
  database: Database,
  onGroup: ((figures: GroupFigures) => void) | undefined,
  independence?: typeof areIndependent,
): Queue {
  const writeGroups = new WriteGroups(database);
  return new GroupQueue<Job, JobResult>({
    run: (jobs) => {
      const writes = jobs.filter((job): job is WriteJob => job.kind === "write");
      if (writes.length === jobs.length) return writeGroups.run(writes.map(({ write }) => write));
      return runRequests(database, jobs as readonly RequestJob[]);
    },
    sizeOf,
    kindOf: ({ kind }) => kind,
    areIndependent: independence,
    onGroup,
  });
}

/** True for writes of different records. A write and a deletion request may be about the same record. */
function areIndependent(one: readonly Job[], other: readonly Job[]): boolean {
  const written = new Map<string, Set<string>>();
  for (const job of one) {
    if (job.kind !== "write") return false;
    const { organizationId, drafts } = job.write;
    const ids = written.get(organizationId) ?? new Set();
    for (const { id } of drafts) ids.add(id);
    written.set(organizationId, ids);
  }
  return other.every((job) => {
    if (job.kind !== "write") return false;
    const ids = written.get(job.write.organizationId);
    return !job.write.drafts.some(({ id }) => ids?.has(id) === true);
  });
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
    sizeOf: ({ organizationId }) => ({ organizationId, rows: 1, bytes: 0 }),
    kindOf: () => "look-up",
  });
}

function sizeOf(job: Job): JobSize {
  if (job.kind === "request") {
    return { organizationId: job.request.organizationId, rows: 1, bytes: 0 };
  }
  const { organizationId, drafts } = job.write;
  return { organizationId, rows: Math.max(1, drafts.length), bytes: countBytes(drafts) };
}

function runRequests(
  database: Database,
  jobs: readonly RequestJob[],
): Promise<readonly JobResult[]> {
  const organizations = new Set(jobs.map(({ request }) => request.organizationId));
  return database.transaction({ organizations }, (transaction) =>
    transaction.perform(openDeletions, jobs),
  );
}
