// Deletions as the command line prints them to operators, who see more than the organization that asked.

import { viewDeletion } from "../../actions/read-deletion.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import type { Receipt } from "../../domain/deletion/receipt.ts";
import { formatTime, renderFields } from "./table.ts";

/** `waiting`: why it is not done yet, if anything keeps it back. */
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
    due_at: formatTime(deletion.dueAt),
    started_at: timeOrNull(deletion.startedAt),
    redacted: deletion.redacted,
    attempts: deletion.attempts,
    next_attempt_at: timeOrNull(deletion.nextAttemptAt),
    waiting_for: waiting ?? null,
  };
}

export function describeDeletion(deletion: Deletion, waiting: string | undefined): string {
  return renderFields([
    ["deletion request", deletion.deletionRequestId],
    ["status", deletion.status],
    ["waits for", waiting ?? "-"],
    ["record", `${deletion.resourceType} ${deletion.resourceId}`],
    ["organization", deletion.organizationId],
    ["reason", deletion.reason],
    ["requested", `${formatTime(deletion.requestedAt)} by ${deletion.requestedBy}`],
    ["due", formatTime(deletion.dueAt)],
    ["started", formatTime(deletion.startedAt)],
    ["completed", formatTime(deletion.completedAt)],
    ["erased", formatErased(deletion)],
    ["attempts", String(deletion.attempts)],
    ["next attempt", formatTime(deletion.nextAttemptAt)],
  ]);
}

function formatErased({ erased, redacted }: Deletion): string {
  const counts = Object.entries(erased).map(([type, count]) => `${count} ${type}`);
  if (redacted > 0) counts.push(`a reference out of ${redacted} that stay`);
  return counts.length === 0 ? "-" : counts.join(", ");
}

function timeOrNull(unixMs: number | undefined): string | null {
  return unixMs === undefined ? null : formatTime(unixMs);
}
