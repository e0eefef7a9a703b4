// Writes the drafts of a group. What is new, or stored already, takes a fast path, part by part; everything else is
// read, evaluated in memory as on every engine, and stored. Consecutive writes of one draft share their statements, so
// a request never notices that it was handled together with others.

import { countWritten, isListRefused } from "../../../domain/record/draft-outcome.ts";
import type { DraftOutcome, RecordWrite, Draft } from "../../../domain/record/record-write.ts";
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
import { readKnown, storeEvaluated, addReplies, findReplies, addRelations } from "./record.ts";
import { nextPartSize, textsBySize } from "./row-parts.ts";
import { type RelationRow, toRelation } from "../../group/group-records.ts";
import type { Value } from "../connection.ts";

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

/** Writes parts that are wholly new, or wholly stored already; ends at any other. Returns the outcomes up to there. */
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

/** A draft together with the fields of its write. */
interface NewRecord {
  readonly draft: Draft;
  readonly receivedAt: number;
  readonly replyKey: Uint8Array | null;
}

interface RecordKind {
  readonly organizationId: string;
  readonly resourceType: string;
}

/**
 * Organization and type, then three values for each record: id, number, timestamp. The placeholders have no numbers:
 * SQLite would look up each by its name. Any failure except a conflict rolls back the whole transaction anyway, so
 * SQLite need not prepare to undo the statement (OR FAIL).
 */
const insertRecords = textsBySize(
  (rows) => `
    INSERT OR FAIL INTO record (organization_id, resource_type, resource_id, record_no, first_seen, last_seen)
    SELECT ?, ?, column1, column2, column3, column3 FROM (VALUES ${rows("(?, ?, ?)")})
    WHERE true ON CONFLICT DO NOTHING`,
);

/** Four values for each change: number, received_at, reply_key, payload. */
const insertChanges = textsBySize(
  (rows) => `
    INSERT OR FAIL INTO change (record_no, change_no, received_at, reply_key, payload)
    SELECT column1, column1, column2, column3, column4 FROM (VALUES ${rows("(?, ?, ?, ?)")})`,
);

/** Organization, then the first and the last number of records. */
const removeRelations = `
  DELETE FROM relation
  WHERE organization_id = ?1 AND (from_type, from_id) IN (
    SELECT resource_type, resource_id FROM record
    WHERE organization_id = ?1 AND record_no BETWEEN ?2 AND ?3)`;
const removeChanges = `
  DELETE FROM change WHERE record_no IN (
    SELECT record_no FROM record WHERE organization_id = ?1 AND record_no BETWEEN ?2 AND ?3)`;
const removeRecords = `
  DELETE FROM record WHERE organization_id = ?1 AND record_no BETWEEN ?2 AND ?3`;

/** True if all of the records were new. Otherwise stores nothing. */
function insertNew(group: Group, kind: RecordKind, part: readonly NewRecord[]): boolean {
  const { connection } = group;
  const { organizationId, resourceType } = kind;
  const firstNo = group.takeArrivalNos(part.length);
  const rows: Value[] = [organizationId, resourceType];
  const changes: Value[] = [];
  const relations: RelationRow[] = [];
  let no = firstNo;
  for (const { draft, receivedAt, replyKey } of part) {
    rows.push(draft.id, no, draft.timestamp);
    changes.push(no, receivedAt, replyKey, draft.payload);
    for (const reference of draft.references) {
      relations.push(toRelation({ ...kind, resourceId: draft.id }, reference));
    }
    no += 1;
  }
  const inserted = connection.run(insertRecords(part.length), ...rows);
  if (inserted < part.length) {
    if (inserted > 0) connection.run(removeRecords, organizationId, firstNo, no - 1);
    return false;
  }
  connection.run(insertChanges(part.length), ...changes);
  addRelations(connection, relations);
  return true;
}

/** Removes what `insertNew` has stored since it was to give this number: no other record has a number from it on. */
function removeNew(group: Group, { organizationId }: RecordKind, firstNo: number): void {
  const values = [organizationId, firstNo, group.takeArrivalNos(0) - 1] as const;
  for (const sql of [removeRelations, removeChanges, removeRecords]) {
    group.connection.run(sql, ...values);
  }
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

/** True if the first change of each record of a part is identical to its draft. */
function areStored(
  { connection }: Group,
  { organizationId, resourceType }: RecordKind,
  part: readonly NewRecord[],
): boolean {
  const values: Value[] = [];
  for (const { draft } of part) values.push(draft.id, draft.payload);
  const sql = countStored(part.length);
  const row = connection.get<{ stored: number }>(sql, ...values, organizationId, resourceType);
  return row?.stored === part.length;
}
