// Deletions and their plans as the command line prints them. Operators see more than the organization does.

import { describeBasis } from "../../domain/deletion/basis.ts";
import { viewDeletion, visibleCounts, visibleKept } from "../../actions/deletion/read-deletion.ts";
import type { DeletionPreview } from "../../actions/deletion/preview-deletion.ts";
import type { ToldView } from "../../actions/deletion/told-recipients.ts";
import { confidentialTypes, mayCount, type Reader } from "../../domain/confidentiality.ts";
import { type Deletion, dueTime } from "../../domain/deletion/deletion.ts";
import type { Node } from "../../domain/deletion/erasure.ts";
import type { Receipt } from "../../domain/deletion/receipt.ts";
import { recordTypes } from "../../domain/record-types.ts";
import { formatDays } from "../../domain/retention/floor.ts";
import type { Paint, Tone } from "./paint.ts";
import { describeNodes, formatCounts, viewNode } from "./restricted-view.ts";
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

export function renderTold(recipients: readonly ToldView[]): string {
  return renderTable(toldColumns, recipients);
}

export function viewPreview(
  preview: DeletionPreview,
  { includeConfidential }: { readonly includeConfidential: boolean },
) {
  const { erased, redacted, pseudonyms, heldRecords, floors, earliest, isCut } = preview;
  const { moved, reports, until, isHeld } = preview.restriction;
  const complete = !isCut;
  return {
    plan: {
      erases: countByType(erased),
      references_removed: countByType(redacted),
      pseudonyms,
      records_on_hold: heldRecords,
      floors: floors.map((floor) => ({
        resource_type: floor.resourceType,
        until: formatTime(floor.until),
      })),
      not_before: formatTime(earliest),
      complete,
    },
    ...(includeConfidential && {
      would_restrict: {
        records: moved.map(viewNode),
        reports: reports.map(viewNode),
        kept_until: timeOrNull(until),
        held: isHeld,
        complete,
      },
    }),
  };
}

export function describePlan(preview: DeletionPreview): string {
  const { erased, redacted, pseudonyms, heldRecords, floors, earliest, isCut } = preview;
  const { moved, reports, until, isHeld } = preview.restriction;
  const kept = floors.map(({ resourceType, keepDays, countedFrom, until: end }): Field => [
    `floor of ${resourceType}`,
    `${formatDays(keepDays)} from ${countedFrom}, until ${formatTime(end)}`,
  ]);
  const fields: readonly Field[] = [
    ["erases", formatCounts(countByType(erased), "nothing")],
    ["removes a reference from", formatCounts(countByType(redacted), "nothing")],
    ["gives a pseudonym to", String(pseudonyms)],
    ["records on hold", String(heldRecords)],
    ...kept,
    [
      "not before",
      `${formatTime(earliest)}${heldRecords > 0 ? ", and not before its holds are released" : ""}`,
    ],
  ];
  const end = `${formatTime(until)}${isHeld ? ", and until the hold on them is released" : ""}`;
  return [
    "As of now, it",
    renderFields(fields),
    ...describeNodes(`The restricted store will keep, until ${end}:`, moved),
    ...describeNodes(`Reports that will stay unchanged, until ${end}:`, reports),
    ...(isCut ? ["There is more than was read; nothing is known about the rest."] : []),
  ].join("\n");
}

function countByType(nodes: readonly Node[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { type } of nodes) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}
