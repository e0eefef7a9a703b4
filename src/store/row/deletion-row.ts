// The row of a deletion and its conversion. The same on every engine.

import { approvalWait } from "../../domain/deletion/approval.ts";
import type {
  ProcessedBefore,
  Deletion,
  DeletionStatus,
  ErasedCounts,
} from "../../domain/deletion/deletion.ts";

export interface DeletionRow {
  readonly deletion_request_id: string;
  readonly organization_id: string;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly reason: string;
  readonly status: DeletionStatus;
  readonly requested_by: string;
  readonly requested_at: number;
  readonly due_at: number;
  readonly started_at: number | null;
  readonly completed_at: number | null;
  readonly erased: string;
  readonly kept: string;
  readonly restricted_of: string | null;
  readonly redacted: number;
  readonly redacted_by_type: string;
  readonly attempts: number;
  readonly waiting_for: string | null;
  readonly held: number | boolean;
  readonly next_attempt_at: number | null;
  readonly floor_until: number | null;
  readonly carried_out_before: string | null;
  readonly approval_requester: string | null;
  readonly approved_by: string | null;
  readonly approved_at: number | null;
  readonly claimant: string | null;
  readonly plan_end: number;
  readonly cursor: string | null;
}

/** The next attempt of a deletion that awaits an approval: the worker's index has it after all other deletions. */
export const untilApproved = Number.MAX_SAFE_INTEGER;

export function toDeletion(row: DeletionRow): Deletion {
  const { carried_out_before: before } = row;
  return {
    deletionRequestId: row.deletion_request_id,
    organizationId: row.organization_id,
    resourceType: row.resource_type,
    resourceId: row.resource_id,
    reason: row.reason,
    status: row.status,
    requestedBy: row.requested_by,
    requestedAt: row.requested_at,
    dueAt: row.due_at,
    startedAt: row.started_at ?? undefined,
    completedAt: row.completed_at ?? undefined,
    erased: toCounts(row.erased),
    kept: toCounts(row.kept),
    restrictedOf: row.restricted_of ?? undefined,
    redacted: row.redacted,
    redactedByType: toCounts(row.redacted_by_type),
    attempts: row.attempts,
    waitingFor: row.waiting_for ?? undefined,
    nextAttemptAt: nextAttemptOf(row),
    floorUntil: row.floor_until ?? undefined,
    ...(row.held ? { isHeld: true } : {}),
    ...approvalOf(row),
    ...(before === null ? {} : { processedBefore: JSON.parse(before) as ProcessedBefore }),
  };
}

const none: ErasedCounts = {};

/** Most deletions count nothing most of the time. */
function toCounts(text: string): ErasedCounts {
  return text === "{}" ? none : (JSON.parse(text) as ErasedCounts);
}

/** The columns of a new deletion that say why it waits, until when, and who may not approve it. */
export function approvalColumns(
  requester: string | undefined,
): readonly [waitingFor: string | null, nextAttemptAt: number | null, requester: string | null] {
  if (requester === undefined) return [null, null, null];
  return [approvalWait, untilApproved, requester];
}

function nextAttemptOf({ next_attempt_at: at }: DeletionRow): number | undefined {
  return at === null || at === untilApproved ? undefined : at;
}

function approvalOf(row: DeletionRow): Pick<Deletion, "approval"> {
  const { approval_requester: requester, approved_by: approvedBy, approved_at: approvedAt } = row;
  if (requester === null) return {};
  return {
    approval: {
      requester,
      approvedBy: approvedBy ?? undefined,
      approvedAt: approvedAt ?? undefined,
    },
  };
}

/** Adds one to the count of each of these types. */
export function addCounts(before: ErasedCounts, types: readonly string[]): ErasedCounts {
  const counts = new Map(Object.entries(before));
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  return Object.fromEntries(counts);
}
