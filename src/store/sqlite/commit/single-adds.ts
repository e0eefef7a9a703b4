// Single adds that follow one another in a group, stored together when all of them are new. Nothing of a request shows
// that it had company: what is not new goes the usual way.

import type { RecordWrite } from "../../../domain/record/record-write.ts";
import { packCreated, type PackedOutcome } from "../../group/packed-outcome.ts";
import type { Group } from "./group.ts";
import { isOperation, type Job } from "./job.ts";
import { insertNew, mayBeNew, type NewRecord, nextPartSize } from "./new-records.ts";

const created: PackedOutcome = packCreated(1);

/** The outcomes of the next part of the jobs, or undefined if they are not such or not all new. */
export function addSingles(
  group: Group,
  jobs: readonly Job[],
  from: number,
): readonly PackedOutcome[] | undefined {
  const first = jobs[from];
  if (first === undefined || isOperation(first)) return undefined;
  const size = nextPartSize(jobs.length - from);
  // One alone gains nothing.
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

/** Undefined unless the job is of one new draft of the same organization and type, with no reply to keep. */
function singleAdd(group: Group, job: Job, like: RecordWrite): NewRecord | undefined {
  if (isOperation(job) || job.drafts.length !== 1 || job.idempotency !== undefined)
    return undefined;
  const [draft] = job.drafts;
  const isLike =
    job.organizationId === like.organizationId && job.resourceType === like.resourceType;
  if (!isLike || draft === undefined || !mayBeNew(group, job.mode)) return undefined;
  return { draft, receivedAt: job.receivedAt, replyKey: null };
}
