// Deletions as the command line prints them. Operators see more than the organization does.

import { describeBasis } from "../../domain/deletion/basis.ts";
import { viewDeletion, visibleCounts, visibleKept } from "../../actions/deletion/read-deletion.ts";
import type { ToldView } from "../../actions/deletion/told-recipients.ts";
import { confidentialTypes, mayCount, type Reader } from "../../domain/confidentiality.ts";
import { type Deletion, dueTime } from "../../domain/deletion/deletion.ts";
import type { Receipt } from "../../domain/deletion/receipt.ts";
import { recordTypes } from "../../domain/record-types.ts";
import type { Paint, Tone } from "./paint.ts";
import {
  type Column,
  type Field,
  formatTime,
  renderFields,
  renderTable,
  timeOrNull,
} from "./table.ts";

/** Stands for the numbers of a deletion that is not completed. */
const nobody: Reader = { confidential: confidentialTypes(), covered: new Set() };

/** `waiting`: what the deletion waits for, if anything. */
export function viewForOperator(
  deletion: Deletion,
  waiting: string | undefined,
  { receipt, reader = nobody }: { receipt?: Receipt | undefined; reader?: Reader } = {},
) {
  return {
    ...viewDeletion(deletion, receipt, reader),
    organization_id: deletion.organizationId,
    reason: deletion.reason,
    basis: deletion.basis ?? null,
    requested_by: deletion.requestedBy,
    due_at: formatTime(dueTime(deletion)),
    floor_until: timeOrNull(deletion.floorUntil),
    started_at: timeOrNull(deletion.startedAt),
    redacted: visibleReferences(deletion, reader),
    kept: visibleKept(deletion, reader),
    restricted_of: deletion.restrictedOf ?? null,
    attempts: deletion.attempts,
    next_attempt_at: timeOrNull(deletion.nextAttemptAt),
    waiting_for: waiting ?? null,
    approval: viewApproval(deletion),
  };
}

/** Null for a deletion that needs no approval. */
function viewApproval({ approval }: Deletion) {
  if (approval === undefined) return null;
  const { requester, approvedBy, approvedAt } = approval;
  return {
    requested_by: requester,
    approved_by: approvedBy ?? null,
    approved_at: timeOrNull(approvedAt),
  };
}

function formatApproval({ approval }: Deletion): string {
  if (approval === undefined) return "-";
  const { requester, approvedBy, approvedAt } = approval;
  if (approvedBy === undefined) return `not yet; requested by ${requester}`;
  return `${formatTime(approvedAt)} by ${approvedBy}; requested by ${requester}`;
}

/** A cancelled deletion has no tone. */
export function toneOfDeletion({ status }: Deletion): Tone | undefined {
  if (status === "cancelled") return undefined;
  return status === "completed" ? "good" : "open";
}

export function describeDeletion(
  deletion: Deletion,
  waiting: string | undefined,
  { reader = nobody, paint }: { reader?: Reader; paint?: Paint } = {},
): string {
  const fields: readonly Field[] = [
    ["deletion request", deletion.deletionRequestId],
    ["status", deletion.status, toneOfDeletion(deletion)],
    ["waits for", waiting ?? "-"],
    ["record", `${deletion.resourceType} ${deletion.resourceId}`],
    ["organization", deletion.organizationId],
    ["reason", deletion.reason],
    ["basis", describeBasis(deletion.basis)],
    ["requested", `${formatTime(deletion.requestedAt)} by ${deletion.requestedBy}`],
    ["due", formatTime(dueTime(deletion))],
    ["approved", formatApproval(deletion)],
    ["started", formatTime(deletion.startedAt)],
    ["completed", formatTime(deletion.completedAt)],
    ["erased", formatErased(deletion, reader)],
    ["restricted", formatKept(deletion, reader)],
    ["attempts", String(deletion.attempts)],
    ["next attempt", formatTime(deletion.nextAttemptAt)],
  ];
  return renderFields(fields, paint);
}

function formatKept(deletion: Deletion, reader: Reader): string {
  const counts = Object.entries(visibleKept(deletion, reader));
  return counts.length === 0 ? "-" : counts.map(([type, count]) => `${count} ${type}`).join(", ");
}

/** References that were removed from records that stay, for types that the reader may count. */
function visibleReferences({ redacted, redactedByType }: Deletion, reader: Reader): number {
  // Deletions of earlier versions have no numbers by type.
  if (recordTypes.every((type) => mayCount(reader, type))) return redacted;
  return recordTypes
    .filter((type) => mayCount(reader, type))
    .reduce((sum, { resourceType }) => sum + (redactedByType[resourceType] ?? 0), 0);
}

function formatErased(deletion: Deletion, reader: Reader): string {
  const erased = Object.entries(visibleCounts(deletion, reader));
  const counts = erased.map(([type, count]) => `${count} ${type}`);
  const redacted = visibleReferences(deletion, reader);
  if (redacted > 0) counts.push(`a reference in each of ${redacted} records that stay`);
  return counts.length === 0 ? "-" : counts.join(", ");
}

const toldColumns: readonly Column<ToldView>[] = [
  ["recipient", ({ name }) => name],
  ["informed", ({ told_at }) => told_at],
  ["acknowledged", ({ acknowledged_at }) => acknowledged_at ?? "-"],
  ["removed", ({ removed_at }) => removed_at ?? "-"],
  ["expired", ({ expired_at }) => expired_at ?? "-"],
];

/** The recipients of changes that were informed about what a deletion has erased. */
export function renderTold(recipients: readonly ToldView[]): string {
  return renderTable(toldColumns, recipients);
}
