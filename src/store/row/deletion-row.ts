// The row of a deletion and its conversion. The same on every engine.

import type { DeletionBasis } from "../../domain/deletion/basis.ts";
import {
  approvalWait,
  type Deletion,
  type ErasedCounts,
  type ProcessedBefore,
} from "../../domain/deletion/deletion.ts";
import { reader, type Row } from "./reader.ts";

/** The columns of a row that are not fields of a deletion under the same name. */
export type DeletionRow = Row & {
  readonly deletion_request_id: string;
  readonly next_attempt_at: number | null;
  readonly basis: DeletionBasis | null;
  readonly held: number | boolean;
  readonly carried_out_before: string | null;
  readonly approval_requester: string | null;
  readonly approved_by: string | null;
  readonly approved_at: number | null;
  readonly claimant: string | null;
  readonly plan_end: number;
  readonly cursor: string | null;
};

const readDeletion = reader<Omit<Deletion, "basis" | "isHeld" | "approval" | "processedBefore">>(
  { erased: "json", kept: "json", redactedByType: "json" },
  {
    without:
      "basis held carried_out_before approval_requester approved_by approved_at lease_until claimant plan_end cursor",
  },
);

/** The next attempt of a deletion that awaits an approval: so the worker's index has it after all others. */
export const untilApproved = Number.MAX_SAFE_INTEGER;

export function toDeletion(row: DeletionRow): Deletion {
  const { carried_out_before: before, next_attempt_at: nextAttemptAt } = row;
  return Object.assign(readDeletion(row), {
    ...(nextAttemptAt === untilApproved ? { nextAttemptAt: undefined } : {}),
    ...(row.basis === null ? {} : { basis: row.basis }),
    ...(row.held ? { isHeld: true } : {}),
    ...approvalOf(row),
    ...(before === null ? {} : { processedBefore: JSON.parse(before) as ProcessedBefore }),
  });
}

function approvalOf(row: DeletionRow): Pick<Deletion, "approval"> {
  const { approval_requester: requester, approved_by: by, approved_at: at } = row;
  if (requester === null) return {};
  return { approval: { requester, approvedBy: by ?? undefined, approvedAt: at ?? undefined } };
}

/** The columns of a new deletion that say why it waits, until when, and who may not approve it. */
export function approvalColumns(
  requester: string | undefined,
): readonly [waitingFor: string | null, nextAttemptAt: number | null, requester: string | null] {
  if (requester === undefined) return [null, null, null];
  return [approvalWait, untilApproved, requester];
}

/** Increments the count of each of these types. */
export function addCounts(before: ErasedCounts, types: readonly string[]): ErasedCounts {
  const counts = new Map(Object.entries(before));
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  return Object.fromEntries(counts);
}
