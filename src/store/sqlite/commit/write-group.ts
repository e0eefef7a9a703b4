// Writes the drafts of a group. What is new, or stored already, takes a fast path, part by part; everything else is
// read, evaluated in memory as on every engine, and stored. Consecutive writes of one draft share their statements, so
// a request never notices that it was handled together with others.

import { countWritten, isListRefused } from "../../../domain/record/draft-outcome.ts";
import type { DraftOutcome, RecordWrite } from "../../../domain/record/record-write.ts";
import { type Evaluation, evaluateGroup } from "../../group/evaluate-group.ts";
import { marksOf, namesOf, type StoredReply } from "../../group/group-replies.ts";
import {
  packDrafts,
  packedAt,
  type PackedOutcome,
  resultOf,
  valueOf,
} from "../../group/packed-outcome.ts";
import type { Group } from "./group.ts";
import { takeWhile } from "./job.ts";
import { areStored, insertNew, type NewRecord, removeNew } from "./new-records.ts";
import { readKnown, storeEvaluated } from "./record.ts";
import { addReplies, findReplies } from "./replies.ts";
import { nextPartSize } from "./row-parts.ts";

/** How many independent drafts are evaluated before the fast paths are tried again. */
const evaluatedAtOnce = 128;

/** Returns an evaluation for each write, in order. */
export function writeGroup(group: Group, writes: readonly RecordWrite[]): readonly Evaluation[] {
  const evaluations: Evaluation[] = [];
  // Nearly always no mark is known, and one statement finds this for all writes.
  const mayBeSent = areMarksKnown(group, writes);
  while (evaluations.length < writes.length) {
    const from = evaluations.length;
    const singles = takeWhile(writes, from, (write) => write.drafts.length <= 1 && write);
    const lists = takeWhile(writes, from, (write) => write.drafts.length > 1 && write);
    const areSent = mayBeSent && areMarksKnown(group, singles);
    evaluations.push(...(areSent ? evaluate(group, singles) : writeSingles(group, singles)));
    for (const list of lists) {
      const isSent = mayBeSent && areMarksKnown(group, [list]);
      evaluations.push(...(isSent ? evaluate(group, [list]) : [writeList(group, list)]));
    }
  }
  return evaluations;
}

/** True also if two of the marks are the same. */
function areMarksKnown({ connection }: Group, writes: readonly RecordWrite[]): boolean {
  const names = writes.flatMap((write) =>
    marksOf(write).map(({ keyHash }) => ({ organizationId: write.organizationId, keyHash })),
  );
  if (names.length > 1 && namesOf(writes).length < names.length) return true;
  return findReplies(connection, names).length > 0;
}

function evaluate(group: Group, writes: readonly RecordWrite[]): readonly Evaluation[] {
  const known = readKnown(group, writes);
  const evaluated = evaluateGroup(writes, known);
  storeEvaluated(group, evaluated, known);
  return evaluated.evaluations;
}

function writeSingles(group: Group, writes: readonly RecordWrite[]): readonly Evaluation[] {
  const evaluations: Evaluation[] = [];
  while (evaluations.length < writes.length) {
    const from = evaluations.length;
    const alike = takeWhile(writes, from, (write) => isLike(write, writes[from]) && write);
    const values = writeAlike(group, alike);
    if (values.length === 0) {
      evaluations.push(...evaluate(group, writes.slice(from, from + evaluatedAtOnce)));
    }
    for (const value of values) evaluations.push({ ok: true, value });
  }
  return evaluations;
}

function isLike(one: RecordWrite, other: RecordWrite | undefined): boolean {
  if (one.organizationId !== other?.organizationId || one.drafts.length === 0) return false;
  return one.resourceType === other.resourceType && one.mode === other.mode;
}

/** The outcomes of the first of the writes, up to one that has to be evaluated. */
function writeAlike(group: Group, writes: readonly RecordWrite[]): readonly PackedOutcome[] {
  const [first] = writes;
  if (first === undefined) return [];
  const outcomes = writeParts(group, first, writes.flatMap(newRecords));
  const written = writes.slice(0, outcomes.length).map((write, index) => {
    return { write, outcome: pack(write, outcomes.slice(index, index + 1)) };
  });
  addReplies(group.connection, written.flatMap(repliesTo));
  return written.map(({ outcome }) => outcome);
}

function writeList(group: Group, write: RecordWrite): Evaluation {
  return resultOf(() => {
    if (write.lenient && marksOf(write).length === 0) return writeLenient(group, write);
    return writeFast(group, write) ?? evaluateList(group, write);
  });
}

/** The items are independent, so what the fast paths do not write is evaluated in between. */
function writeLenient(group: Group, write: RecordWrite): PackedOutcome {
  const outcome = { written: 0, drafts: "" };
  const add = ({ written, drafts }: PackedOutcome): void => {
    outcome.written += written;
    outcome.drafts += drafts;
  };
  const records = newRecords(write);
  while (outcome.drafts.length < records.length) {
    add(pack(write, writeParts(group, write, records.slice(outcome.drafts.length))));
    const from = outcome.drafts.length;
    const drafts = write.drafts.slice(from, from + evaluatedAtOnce);
    if (drafts.length > 0) add(evaluateList(group, { ...write, drafts }));
  }
  return outcome;
}

function evaluateList(group: Group, write: RecordWrite): PackedOutcome {
  const [evaluation] = evaluate(group, [write]);
  if (evaluation === undefined) throw new TypeError("a write has no evaluation");
  return valueOf(evaluation);
}

/** Undefined if the fast paths can't write all of the list; then nothing of it is stored. */
function writeFast(group: Group, write: RecordWrite): PackedOutcome | undefined {
  const firstNo = group.takeArrivalNos(0);
  const outcomes = writeParts(group, write, newRecords(write));
  const isComplete = outcomes.length === write.drafts.length;
  if (!isComplete || isListRefused(outcomes, write)) removeNew(group, write, firstNo);
  if (!isComplete) return undefined;
  const outcome = pack(write, outcomes);
  addReplies(group.connection, repliesTo({ write, outcome }));
  return outcome;
}

/** Writes part by part until one is neither new nor stored. Returns the outcomes of what was written. */
function writeParts(
  group: Group,
  kind: RecordWrite,
  records: readonly NewRecord[],
): readonly DraftOutcome[] {
  const outcomes: DraftOutcome[] = [];
  if (!mayBeNew(group, kind)) return outcomes;
  const stored = kind.mode === "add" ? "identical_record_exists" : "unchanged";
  let expected: DraftOutcome = "created";
  while (outcomes.length < records.length) {
    const from = outcomes.length;
    const part = records.slice(from, from + nextPartSize(records.length - from));
    if (expected !== "created" || !insertNew(group, kind, part)) expected = stored;
    if (expected === stored && !areStored(group, kind, part)) break;
    for (let count = 0; count < part.length; count += 1) outcomes.push(expected);
  }
  return outcomes;
}

/** True if no draft can be refused for another reason than its record: then new records are written unchecked. */
function mayBeNew(group: Group, write: RecordWrite): boolean {
  if (write.mode === "update" || group.anyDeletionOpen(write.organizationId)) return false;
  return group.refusalOf(write) === undefined;
}

function newRecords({ drafts, receivedAt, idempotency, marks }: RecordWrite): NewRecord[] {
  return drafts.map((draft, index) => {
    const mark = marks === undefined ? idempotency : marks[index];
    return { draft, receivedAt, replyKey: mark?.keyHash ?? null };
  });
}

function pack(write: RecordWrite, outcomes: readonly DraftOutcome[]): PackedOutcome {
  return { written: countWritten(outcomes, write), drafts: packDrafts(outcomes) };
}

interface Written {
  readonly write: RecordWrite;
  readonly outcome: PackedOutcome;
}

function repliesTo({ write, outcome }: Written): readonly StoredReply[] {
  const { organizationId, marks, receivedAt: createdAt } = write;
  return marksOf(write).map((mark, index) => {
    const own = marks === undefined ? outcome : packedAt(outcome, index);
    return { organizationId, ...mark, outcome: JSON.stringify(own), createdAt };
  });
}
