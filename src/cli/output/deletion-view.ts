// Deletions as the command line prints them. Operators see more than the organization does.

import { dueTime, viewDeletion } from "../../actions/read-deletion.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import type { Receipt } from "../../domain/deletion/receipt.ts";
import type { Paint, Tone } from "./paint.ts";
import { type Field, formatTime, renderFields, timeOrNull } from "./table.ts";

/** `waiting`: what the deletion waits for, if anything. */
export function viewForOperator(
  deletion: Deletion,
  waiting: string | undefined,
  receipt?: Receipt,
) {
  return {
    ...viewDeletion(deletion, receipt),
    organization_id: deletion.organizationId,
    reason: deletion.reason,
    requested_by: deletion.requestedBy,
    due_at: formatTime(dueTime(deletion)),
    floor_until: timeOrNull(deletion.floorUntil),
    started_at: timeOrNull(deletion.startedAt),
    redacted: deletion.redacted,
    attempts: deletion.attempts,
    next_attempt_at: timeOrNull(deletion.nextAttemptAt),
    waiting_for: waiting ?? null,
  };
}

/** None for a cancelled one. */
export function toneOfDeletion({ status }: Deletion): Tone | undefined {
  if (status === "cancelled") return undefined;
  return status === "completed" ? "good" : "open";
}

export function describeDeletion(
  deletion: Deletion,
  waiting: string | undefined,
  paint?: Paint,
): string {
  const fields: readonly Field[] = [
    ["deletion request", deletion.deletionRequestId],
    ["status", deletion.status, toneOfDeletion(deletion)],
    ["waits for", waiting ?? "-"],
    ["record", `${deletion.resourceType} ${deletion.resourceId}`],
    ["organization", deletion.organizationId],
    ["reason", deletion.reason],
    ["requested", `${formatTime(deletion.requestedAt)} by ${deletion.requestedBy}`],
    ["due", formatTime(dueTime(deletion))],
    ["started", formatTime(deletion.startedAt)],
    ["completed", formatTime(deletion.completedAt)],
    ["erased", formatErased(deletion)],
    ["attempts", String(deletion.attempts)],
    ["next attempt", formatTime(deletion.nextAttemptAt)],
  ];
  return renderFields(fields, paint);
}

function formatErased({ erased, redacted }: Deletion): string {
  const counts = Object.entries(erased).map(([type, count]) => `${count} ${type}`);
  if (redacted > 0) counts.push(`a reference in each of ${redacted} records that stay`);
  return counts.length === 0 ? "-" : counts.join(", ");
}
