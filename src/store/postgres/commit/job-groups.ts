// Runs groups of jobs of one kind, each group in one transaction. Contains no SQL, and decides nothing about a draft.
//
// A group of new records is the common case, and costs the fewest statements: it is evaluated as if none of its records
// existed, and inserted at once. If that assumption is wrong, the transaction is rolled back and the group is evaluated
// again, with the stored data. On Citus, and where the server's log would name the records, this code checks the
// assumption; elsewhere a statement fails (new-records.ts). Records are locked, or inserted, in the order of their keys
// before deletions are read, so that a plan made meanwhile waits for this transaction before it erases anything.

import { countDraftRows } from "../../../domain/record/draft-rows.ts";
import type { RecordWrite } from "../../../domain/record/record-write.ts";
import { countBytes, isLongList } from "../../group/group-scheduler.ts";
import type { GroupFigures, Store } from "../../interface/store.ts";
import type { Database } from "../database.ts";
import { GroupQueue, type JobSize } from "./group-queue.ts";
import { openDeletions } from "../../sql/deletion/open-deletion.ts";
import { countRows, evaluateExactly, isDivided, none, storeIfNew } from "./exact-group.ts";
import { storeNew } from "./new-records.ts";
import { findReplies } from "../../sql/access/idempotency.ts";
import type { Visibility } from "../../sql/statement/visibility.ts";
import {
  type Evaluation,
  evaluateGroup,
  type GroupEvaluation,
} from "../../group/evaluate-group.ts";
import { namesOf } from "../../group/group-replies.ts";
import type { RequestAct } from "../../group/evaluate-requests.ts";
import {
  type PackedOutcome,
  type Result,
  unpackOutcome,
  valueOf,
} from "../../group/packed-outcome.ts";

interface WriteJob {
  readonly kind: "write";
  readonly write: RecordWrite;
}

interface RequestJob extends RequestAct {
  readonly kind: "request";
}

type Job = WriteJob | RequestJob;

type JobResult = Result<PackedOutcome | string | undefined>;

/** Three queues with connections of their own: requests wait for the audit trail, and long lists take long. */
export function makeJobQueue(
  database: Database,
  onGroup: ((figures: GroupFigures) => void) | undefined,
): Pick<Store, "writeRecords" | "requestDeletion" | "refuseWrites" | "close"> {
  const writes = makeQueue(database, onGroup, areIndependent);
  const requests = makeQueue(database, onGroup);
  const longLists = makeQueue(database, onGroup);
  const all = [writes, requests, longLists];
  const inOrder = new QueueByOrganization();
  const submit = (job: Job): Promise<JobResult> => {
    if (isLongList(sizeOf(job))) return longLists.submit(job);
    return inOrder.submit(job, job.kind === "write" ? writes : requests);
  };
  return {
    writeRecords: async (write) =>
      unpackOutcome(valueOf(await submit({ kind: "write", write })) as PackedOutcome),
    requestDeletion: async (request, act) =>
      valueOf(await submit({ kind: "request", request, act })) as string | undefined,
    refuseWrites: () => all.forEach((queue) => queue.refuse()),
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

function sizeOf(job: Job): JobSize {
  if (job.kind === "request") {
    return { organizationId: job.request.organizationId, rows: 1, bytes: 0 };
  }
  const { organizationId, drafts } = job.write;
  return { organizationId, rows: Math.max(1, countDraftRows(drafts)), bytes: countBytes(drafts) };
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

/** After a wrong assumption, this many groups are evaluated with the stored data. */
const carefulGroups = 16;

class WriteGroups {
  readonly #database: Database;
  #careful = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns an evaluation for each write, in order. Rejects if nothing was written, or if the result is not known. */
  async run(writes: readonly RecordWrite[]): Promise<readonly Evaluation[]> {
    const visibility = {
      organizations: new Set(writes.map(({ organizationId }) => organizationId)),
    };
    return (
      (await this.#guess(visibility, writes)) ??
      this.#database.transaction(visibility, (transaction) => evaluateExactly(transaction, writes))
    );
  }

  /** Stores the group as if all records were new. Undefined if that was not tried, or was wrong. */
  async #guess(
    visibility: Visibility,
    writes: readonly RecordWrite[],
  ): Promise<readonly Evaluation[] | undefined> {
    this.#careful = Math.max(0, this.#careful - 1);
    if (this.#careful > 0) return undefined;
    if (writes.some(({ mode }) => mode === "update")) return undefined;
    const names = namesOf(writes);
    const replies =
      names.length === 0
        ? []
        : await this.#database.inOneGo(visibility, (transaction) =>
            transaction.perform(findReplies, names),
          );
    const evaluated = evaluateGroup(writes, { ...none, replies });
    // A draft that is not inserted would not conflict with a record that exists already.
    const drafts = writes.reduce((count, write) => count + write.drafts.length, 0);
    if (drafts === 0 || evaluated.changes.length < drafts) return undefined;
    const group = { visibility, writes, evaluated };
    const stored = this.#mayFail(evaluated)
      ? await storeNew(this.#database, group)
      : await storeIfNew(this.#database, group);
    if (stored) return evaluated.evaluations;
    this.#careful = carefulGroups;
    return undefined;
  }

  /** Whether a statement may fail because of a record: for other roles the server's log would name its key. */
  #mayFail(evaluated: GroupEvaluation): boolean {
    const { distributed, secured } = this.#database;
    return secured && !distributed && !isDivided({ distributed }, countRows(evaluated));
  }
}
