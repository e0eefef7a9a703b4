// Writes one draft or many: strict lists are all or nothing, lenient lists are evaluated item by item. Drafts take
// effect one after another, so that a second draft with the same id sees the first. Consecutive single adds are stored
// together if all of their records are new, so a request never notices that it was handled together with others. A list
// that is sent again is compared with what is stored by one statement.

import { organizationClosed } from "../../../domain/deletion/organization-deletion.ts";
import { countWritten, isListRefused } from "../../../domain/record/draft-outcome.ts";
import type {
  DraftOutcome,
  IdempotencyMark,
  RecordWrite,
  Draft,
} from "../../../domain/record/record-write.ts";
import {
  packCreated,
  packDrafts,
  packedAt,
  packEach,
  packRepeated,
  type PackedOutcome,
} from "../../group/packed-outcome.ts";
import { once } from "../../group/group-replies.ts";
import type { Group } from "./group.ts";
import {
  insertNew,
  mayBeNew,
  type NewRecord,
  nextPartSize,
  removeNew,
  type RecordKind,
  textsBySize,
} from "./new-records.ts";
import { type DraftContext, writeDraft } from "./record.ts";
import type { Value } from "../connection.ts";
import { isOperation, type Job } from "./job.ts";
import { repliesIn } from "./replies.ts";

/** Throws AppError idempotency_reused or, for a closed organization, credential_revoked, before anything is written. */
export function storeDrafts(group: Group, write: RecordWrite): PackedOutcome {
  const { organizationId, idempotency: mark, receivedAt: now } = write;
  if (group.isClosed(organizationId)) throw organizationClosed();
  if (write.marks !== undefined) return writeMarked(group, write, write.marks);
  if (mark === undefined) return evaluate(group, write);
  const perform = () => evaluate(group, write);
  const replies = repliesIn(group.connection);
  return once(replies, { organizationId, mark, now }, { perform, repeat: packRepeated });
}

/** Drafts whose marks are all unknown are stored together; otherwise each is a write of its own. */
function writeMarked(
  group: Group,
  write: RecordWrite,
  marks: readonly IdempotencyMark[],
): PackedOutcome {
  const { organizationId, receivedAt: now } = write;
  const replies = repliesIn(group.connection);
  if (marks.some(({ keyHash }) => replies.find({ organizationId, keyHash }) !== undefined)) {
    return packEach(write, (one) => storeDrafts(group, one));
  }
  const outcome = evaluate(group, write);
  for (const [index, { keyHash, fingerprint }] of marks.entries()) {
    const own = JSON.stringify(packedAt(outcome, index));
    replies.add({ organizationId, keyHash, fingerprint, outcome: own, createdAt: now });
  }
  return outcome;
}

function evaluate(group: Group, write: RecordWrite): PackedOutcome {
  const { drafts, lenient } = write;
  // A single draft is decided before it is written, so there is nothing to undo.
  if (lenient || drafts.length === 1) return describe(writeInParts(group, write), write);
  const { parts, count } = storeNewParts(group, write);
  if (count === drafts.length) return packCreated(count);
  for (const part of parts.toReversed()) removeNew(group, write, part);
  return evaluateStrictly(group, write);
}

function evaluateStrictly(group: Group, write: RecordWrite): PackedOutcome {
  group.connection.run("SAVEPOINT list");
  const outcomes = writeInParts(group, write);
  if (isListRefused(outcomes, write)) group.connection.run("ROLLBACK TO list");
  group.connection.run("RELEASE list");
  return describe(outcomes, write);
}

function contextOf(write: RecordWrite, index: number): DraftContext {
  const { organizationId, resourceType, receivedAt, idempotency, marks } = write;
  const mark = marks === undefined ? idempotency : marks[index];
  return { organizationId, resourceType, receivedAt, replyKey: mark?.keyHash ?? null };
}

interface Part {
  readonly records: readonly NewRecord[];
  readonly firstNo: number;
}

/** Stores the drafts part by part as long as all records of a part are new; returns the parts that were stored. */
function storeNewParts(
  group: Group,
  write: RecordWrite,
): { readonly parts: readonly Part[]; readonly count: number } {
  const { drafts } = write;
  const parts: Part[] = [];
  let count = 0;
  while (count < drafts.length && mayBeNew(group, write)) {
    const records = newRecords(write, count, nextPartSize(drafts.length - count));
    const firstNo = insertNew(group, write, records);
    if (firstNo === undefined) break;
    parts.push({ records, firstNo });
    count += records.length;
  }
  return { parts, count };
}

function newRecords(write: RecordWrite, from: number, size: number): readonly NewRecord[] {
  return write.drafts.slice(from, from + size).map((draft, at) => {
    const { receivedAt, replyKey } = contextOf(write, from + at);
    return { draft, receivedAt, replyKey };
  });
}

/** A part is expected to be like the one before: all new, or all stored. If not, its drafts are written one by one. */
function writeInParts(group: Group, write: RecordWrite): readonly DraftOutcome[] {
  const { mode, drafts } = write;
  const isFast = mayBeNew(group, write);
  const outcomes: DraftOutcome[] = [];
  let expected: DraftOutcome = "created";
  while (outcomes.length < drafts.length) {
    const from = outcomes.length;
    const size = nextPartSize(drafts.length - from);
    if (isFast && isAllAs(expected, group, { write, from, size })) {
      for (let count = 0; count < size; count += 1) outcomes.push(expected);
      continue;
    }
    for (let at = from; at < from + size; at += 1) {
      const draft = drafts[at];
      if (draft === undefined) throw new RangeError(`there is no draft ${at}`);
      outcomes.push(writeDraft(group, contextOf(write, at), { mode, draft }));
    }
    expected = outcomes.at(-1) ?? expected;
  }
  return outcomes;
}

/** If the outcome of all drafts of a part is the expected one, writes them and returns true. */
function isAllAs(
  expected: DraftOutcome,
  group: Group,
  part: { readonly write: RecordWrite; readonly from: number; readonly size: number },
): boolean {
  const { write, from, size } = part;
  if (expected === "created") {
    return insertNew(group, write, newRecords(write, from, size)) !== undefined;
  }
  if (expected !== "unchanged" && expected !== "identical_record_exists") return false;
  return areStored(group, write, write.drafts.slice(from, from + size));
}

function describe(outcomes: readonly DraftOutcome[], write: RecordWrite): PackedOutcome {
  return { written: countWritten(outcomes, write), drafts: packDrafts(outcomes) };
}

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

/**
 * Two values for each draft, its id and its payload; then organization and type. The first change of a record has the
 * number of the record. Lengths are compared first, because SQLite knows them without reading all of a payload.
 */
const countStored = textsBySize(
  (rows) => `
    SELECT count(*) AS stored FROM (VALUES ${rows("(?, ?)")}) AS sent
    CROSS JOIN record ON organization_id = ? AND resource_type = ? AND resource_id = sent.column1
    CROSS JOIN change ON change.record_no = record.record_no AND change.change_no = record.record_no
    WHERE octet_length(payload) = octet_length(sent.column2) AND payload = sent.column2`,
);

/** True if the first change of each record that a draft names is identical to it. Call it for a part of one size. */
function areStored(
  { connection }: Group,
  { organizationId, resourceType }: RecordKind,
  drafts: readonly Draft[],
): boolean {
  const values: Value[] = [];
  for (const { id, payload } of drafts) values.push(id, payload);
  const sql = countStored(drafts.length);
  const row = connection.get<{ stored: number }>(sql, ...values, organizationId, resourceType);
  return row?.stored === drafts.length;
}
