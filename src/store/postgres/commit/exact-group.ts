// Evaluates a group with what is stored. Records are locked before deletions are read.
//
// A list that is longer than a group is stored in parts with pauses, all in one transaction: a single statement for all
// its rows would block this thread and a server processor for a tenth of a second.

import { keyText, type RecordKey, type RecordWrite } from "../../../domain/record/record-write.ts";
import { namesOf } from "../../group/group-replies.ts";
import {
  type Evaluation,
  evaluateGroup,
  type Known,
  type GroupEvaluation,
} from "../../group/evaluate-group.ts";
import { keysOf, relationsOf } from "../../group/group-records.ts";
import { commitInTwoPhases } from "../citus.ts";
import type { Database } from "../database.ts";
import { Collision } from "../../sql/statement/statements.ts";
import { findIdenticalChanges } from "./identical-changes.ts";
import { addReplies, findReplies } from "../../sql/access/idempotency.ts";
import { findClosed } from "../../sql/deletion/closed-records.ts";
import type { GuessedGroup } from "./new-records.ts";
import {
  appendChanges,
  insertNewRecords,
  lockRecords,
  widenSightings,
  findRefusals,
  addRelations,
} from "./record.ts";
import type { Transaction } from "../transaction.ts";
import { inSequence } from "./settle-all.ts";
import { limits } from "../../../domain/limits.ts";
import { Pace, partsOf } from "../pace.ts";

export const none: Omit<Known, "replies"> = {
  refusals: new Map(),
  records: new Map(),
  closed: new Set(),
  hasIdentical: () => false,
};

/** The assumption was wrong: not all records of the group are new, or a deletion closes them. */
class WrongGuess extends Error {
  override readonly name = "WrongGuess";
}

export async function evaluateExactly(
  transaction: Transaction,
  all: readonly RecordWrite[],
): Promise<readonly Evaluation[]> {
  const refusals = await findRefusals(transaction, all);
  const writes = all.filter(({ organizationId }) => !refusals.has(organizationId));
  const distinct = [...keysOf(writes).values()];
  const keys = isDivided(transaction, distinct.length) ? inLockOrder(distinct) : distinct;
  const [replies, locked] = await inSequence([
    transaction.perform(findReplies, namesOf(writes)),
    inParts(transaction, keys, (part) => lockRecords(transaction, part)),
  ] as const);
  const records = new Map(locked.flatMap((part) => [...part]));
  const parts = await inParts(transaction, keys, (part) => transaction.perform(findClosed, part));
  const closed = new Set(parts.flatMap((part) => [...part]));
  const hasIdentical = await findIdentical(transaction, writes, records);
  const known = { ...none, refusals, records, closed, hasIdentical, replies };
  const evaluated = evaluateGroup(all, known);
  if (!(await store(transaction, writes, evaluated))) {
    throw new Collision(
      "another process has created a record, stored the reply, opened a deletion, or closed an organization",
    );
  }
  return evaluated.evaluations;
}

/** Stores new records. False if not all of them were new; then nothing was stored. */
export async function storeIfNew(
  database: Database,
  { visibility, writes, evaluated }: GuessedGroup,
): Promise<boolean> {
  try {
    await database.transaction(visibility, async (transaction) => {
      if (!(await store(transaction, writes, evaluated))) throw new WrongGuess();
    });
    return true;
  } catch (error) {
    if (error instanceof WrongGuess) return false;
    throw error;
  }
}

/** Stores what was evaluated. False if the stored data differs from it; then the caller must roll back. */
async function store(
  transaction: Transaction,
  writes: readonly RecordWrite[],
  evaluated: GroupEvaluation,
): Promise<boolean> {
  const { created, widened } = evaluated.records;
  const { changes, replies } = evaluated;
  const keys = created.map(({ record }) => record);
  const areDivided = isDivided(transaction, countRows(evaluated));
  const inserting = inParts(transaction, created, (part) => insertNewRecords(transaction, part));
  // The rest of a long list is not sent only to be rolled back.
  if (areDivided && countOf(await inserting) < created.length) return false;
  const steps = [
    () => inserting,
    () => inParts(transaction, widened, (part) => widenSightings(transaction, part)),
    // New records were not locked when the deletions were read.
    () => inParts(transaction, keys, (part) => transaction.perform(findClosed, part)),
    () => inParts(transaction, changes, (part) => appendChanges(transaction, part)),
    () => inParts(transaction, relationsOf(changes), (part) => addRelations(transaction, part)),
    () => transaction.perform(addReplies, replies),
    () => (replies.length === 0 ? undefined : commitInTwoPhases(transaction)),
    () => findRefusals(transaction, writes),
  ] as const;
  const [inserted, , closed, , , stored, , refusals] = await sendAll(steps, { areDivided });
  if (refusals.size > 0 || closed.some(({ size }) => size > 0)) return false;
  return countOf(inserted) === created.length && stored === replies.length;
}

function countOf(parts: readonly number[]): number {
  return parts.reduce((sum, one) => sum + one, 0);
}

type Answers<Steps extends readonly (() => unknown)[]> = {
  -readonly [Index in keyof Steps]: Awaited<ReturnType<Steps[Index]>>;
};

/** Sends each without waiting for the one before, unless they are sent in parts with pauses. */
async function sendAll<Steps extends readonly (() => unknown)[]>(
  steps: Steps,
  { areDivided }: { readonly areDivided: boolean },
): Promise<Answers<Steps>> {
  const sent: unknown[] = [];
  for (const step of steps) {
    const answer = step();
    sent.push(answer);
    if (areDivided) await answer;
  }
  return (await inSequence(sent)) as Answers<Steps>;
}

/** Checks every draft that would add a change to an existing record. */
async function findIdentical(
  transaction: Transaction,
  writes: readonly RecordWrite[],
  records: Known["records"],
): Promise<Known["hasIdentical"]> {
  const asked: { readonly record: RecordKey; readonly payload: string }[] = [];
  for (const { mode, organizationId, resourceType, drafts } of writes) {
    if (mode === "update") continue;
    for (const { id, payload } of drafts) {
      const record = { organizationId, resourceType, resourceId: id };
      if (records.has(keyText(record))) asked.push({ record, payload });
    }
  }
  const parts = await inParts(transaction, asked, (part) =>
    findIdenticalChanges(transaction, part),
  );
  const answers = parts.flat();
  const identical = new Set(
    asked.filter((_, index) => answers[index]).map((item) => contentText(item)),
  );
  return (key, payload) => identical.has(`${key}\n${payload}`);
}

function contentText({ record, payload }: { record: RecordKey; payload: string }): string {
  return `${keyText(record)}\n${payload}`;
}

/** On Citus one statement locks the rows (Transaction.inShardOrder), so there a long list is not divided. */
export function isDivided(
  { distributed }: { readonly distributed: boolean },
  rows: number,
): boolean {
  return !distributed && rows > limits.groupRowsMax;
}

/** Relations are rows, too. */
export function countRows({ changes }: GroupEvaluation): number {
  return changes.reduce((count, { draft }) => count + 1 + draft.references.length, 0);
}

/** Returns the result of each part. If the rows are not divided, the single statement is sent before this returns. */
async function inParts<Row, Found>(
  transaction: Transaction,
  rows: readonly Row[],
  read: (part: readonly Row[]) => Promise<Found>,
): Promise<readonly Found[]> {
  if (!isDivided(transaction, rows.length)) return [await read(rows)];
  const results: Found[] = [];
  const pace = new Pace();
  for (const part of partsOf(rows)) {
    results.push(await read(part));
    await pace.pause();
  }
  return results;
}

/** Sorts in the order in which groups lock and insert records, so that two processes can't deadlock. */
function inLockOrder(keys: readonly RecordKey[]): readonly RecordKey[] {
  const texts = keys.map((key) => ({ key, text: keyText(key) }));
  return texts.sort((one, other) => (one.text < other.text ? -1 : 1)).map(({ key }) => key);
}
