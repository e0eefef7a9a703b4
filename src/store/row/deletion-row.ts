// The row of a deletion and its conversion. The same on every engine.

import { approvalWait } from "../../domain/deletion/approval.ts";
import type { Deletion, ErasedCounts } from "../../domain/deletion/deletion.ts";
import { reader, type Row } from "./reader.ts";

/** What the steps of a deletion read of its row besides the deletion. */
export type DeletionRow = Row & {
  readonly deletion_request_id: string;
  readonly claimant: string | null;
  readonly plan_end: number;
  readonly cursor: string | null;
};

/** The columns, of which some are no fields of a deletion, and some are part of one. */
interface StoredDeletion extends Omit<Deletion, "isHeld" | "approval" | "processedBefore"> {
  readonly held: boolean;
  readonly carriedOutBefore: Deletion["processedBefore"] | undefined;
  readonly approvalRequester: string | undefined;
  readonly approvedBy: string | undefined;
  readonly approvedAt: number | undefined;
  readonly leaseUntil: number;
  readonly claimant: string | undefined;
  readonly planEnd: number;
  readonly cursor: string | undefined;
}

const readDeletion = reader<StoredDeletion>({
  erased: "json",
  kept: "json",
  redactedByType: "json",
  held: "flag",
  carriedOutBefore: "json",
});

/** The next attempt of a deletion that awaits an approval: the worker's index has it after all other deletions. */
export const untilApproved = Number.MAX_SAFE_INTEGER;

export function toDeletion(row: Row): Deletion {
  const {
    leaseUntil: _until,
    claimant: _claimant,
    planEnd: _end,
    cursor: _cursor,
    ...stored
  } = readDeletion(row);
  const { held, carriedOutBefore, approvalRequester, approvedBy, approvedAt, ...deletion } = stored;
  return {
    ...deletion,
    nextAttemptAt: deletion.nextAttemptAt === untilApproved ? undefined : deletion.nextAttemptAt,
    ...(held ? { isHeld: true } : {}),
    ...(approvalRequester === undefined
      ? {}
      : { approval: { requester: approvalRequester, approvedBy, approvedAt } }),
    ...(carriedOutBefore === undefined ? {} : { processedBefore: carriedOutBefore }),
  };
}

/** The columns of a new deletion that say why it waits, until when, and who may not approve it. */
export function approvalColumns(
  requester: string | undefined,
): readonly [waitingFor: string | null, nextAttemptAt: number | null, requester: string | null] {
  if (requester === undefined) return [null, null, null];
  return [approvalWait, untilApproved, requester];
}

/** Adds one to the count of each of these types. */
export function addCounts(before: ErasedCounts, types: readonly string[]): ErasedCounts {
  const counts = new Map(Object.entries(before));
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  return Object.fromEntries(counts);
}
