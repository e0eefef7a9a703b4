// Stores consecutive single adds of a group together if all of their records are new. Otherwise each is evaluated by
// itself, so a request never notices that it was handled together with others.

import type { RecordWrite } from "../../../domain/record/record-write.ts";
import { packCreated, type PackedOutcome } from "../../group/packed-outcome.ts";
import type { Group } from "./group.ts";
import { isOperation, type Job } from "./job.ts";
import { insertNew, mayBeNew, type NewRecord, nextPartSize } from "./new-records.ts";

const created: PackedOutcome = packCreated(1);

/** The outcomes of the next jobs; undefined if they are not single adds of new records. */
export function addSingles(
  group: Group,
  jobs: readonly Job[],
  from: number,
): readonly PackedOutcome[] | undefined {
  const first = jobs[from];
  if (first === undefined || isOperation(first)) return undefined;
  const size = nextPartSize(jobs.length - from);
  // A single job gains nothing from this.
  if (size === 1) return undefined;
  const records: NewRecord[] = [];
  for (const job of jobs.slice(from, from + size)) {
    const record = singleAdd(group, job, first);
    if (record === undefined) return undefined;
    records.push(record);
  }
  if (insertNew(group, first, records) === undefined) return undefined;
  return records.map(() => created);
}

/** Undefined unless the job adds one draft of the same organization and type, without an idempotency key. */
function singleAdd(group: Group, job: Job, like: RecordWrite): NewRecord | undefined {
  if (isOperation(job) || job.drafts.length !== 1) return undefined;
  if (job.idempotency !== undefined || job.marks !== undefined) return undefined;
  const [draft] = job.drafts;
  const isLike =
    job.organizationId === like.organizationId && job.resourceType === like.resourceType;
  if (!isLike || draft === undefined || !mayBeNew(group, job)) return undefined;
  return { draft, receivedAt: job.receivedAt, replyKey: null };
}
