// Stores a list that is longer than a group, in parts with pauses: a single statement for all its rows would block this
// thread and a server processor for a tenth of a second. All parts are in one transaction.

import { limits } from "../../../domain/limits.ts";
import { keyText, type RecordKey } from "../../../domain/record/record-write.ts";
import type { GroupEvaluation } from "../../group/evaluate-group.ts";
import { findClosed } from "../erase/closed-record.ts";
import { addRelations } from "../erase/relation.ts";
import { relationsOf } from "../../group/group-records.ts";
import { Pace, partsOf } from "../pace.ts";
import type { Transaction } from "../transaction.ts";
import { addReplies } from "../../sql/access/idempotency.ts";
import { appendChanges, insertNewRecords, widenSightings } from "./record.ts";

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
export async function readInParts<Row, Found>(
  transaction: Transaction,
  rows: readonly Row[],
  read: (part: readonly Row[]) => Promise<Found>,
): Promise<readonly Found[]> {
  if (!isDivided(transaction, rows.length)) return [await read(rows)];
  const found: Found[] = [];
  await inParts(rows, async (part) => void found.push(await read(part)));
  return found;
}

/** Sorts in the order in which groups lock and insert records, so that two processes can't deadlock. */
export function inLockOrder(keys: readonly RecordKey[]): readonly RecordKey[] {
  const texts = keys.map((key) => ({ key, text: keyText(key) }));
  return texts.sort((one, other) => (one.text < other.text ? -1 : 1)).map(({ key }) => key);
}

/** False if the stored data differs from what was evaluated; then the caller must roll back. */
export async function storeInParts(
  transaction: Transaction,
  { records, changes, replies }: GroupEvaluation,
): Promise<boolean> {
  const { created, widened } = records;
  let inserted = 0;
  await inParts(created, async (part) => {
    inserted += await insertNewRecords(transaction, part);
  });
  if (inserted < created.length) return false;
  await inParts(widened, (part) => widenSightings(transaction, part));
  let closed = 0;
  await inParts(created, async (part) => {
    const keys = part.map(({ record }) => record);
    closed += (await findClosed(transaction, keys)).size;
  });
  await inParts(changes, (part) => appendChanges(transaction, part));
  await inParts(relationsOf(changes), (part) => addRelations(transaction, part));
  const stored = await transaction.perform(addReplies, replies);
  return closed === 0 && stored === replies.length;
}

async function inParts<Row>(
  rows: readonly Row[],
  work: (part: readonly Row[]) => Promise<void>,
): Promise<void> {
  const pace = new Pace();
  for (const part of partsOf(rows)) {
    await work(part);
    await pace.rest();
  }
}
