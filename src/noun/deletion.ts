// Deletions: their values on the command line, where operators see more than the organization does, and the acts that
// decide on one, as commands and as forms of its page.

import { approveDeletion, cancelDeletion } from "../actions/deletion/decide-deletions.ts";
import { viewDeletion, visibleCounts, visibleKept } from "../actions/deletion/read-deletion.ts";
import { required } from "../cli/command.ts";
import { text } from "../cli/input/kinds.ts";
import { formatCounts, formatTime, timeOrNull } from "../cli/output/table.ts";
import { confidentialTypes, mayCount, type Reader } from "../domain/confidentiality.ts";
import { describeBasis } from "../domain/deletion/basis.ts";
import { type Deletion, dueTime, requesterOf } from "../domain/deletion/deletion.ts";
import type { Receipt } from "../domain/deletion/receipt.ts";
import { recordTypes } from "../domain/record-types.ts";
import { defineAct } from "./act.ts";
import { defineNoun } from "./noun.ts";

/** A deletion, and what it waits for, if anything. */
type Row = Deletion & { readonly waitsFor: string | undefined };

const formatDue = (deletion: Row) => formatTime(dueTime(deletion));

export const deletions = defineNoun<Row, Reader>({
  values: {
    record: { text: ({ resourceType, resourceId }) => `${resourceType} ${resourceId}` },
    basis: { text: ({ basis }) => describeBasis(basis) },
    requested: { text: (row) => `${formatTime(row.requestedAt)} by ${requesterOf(row)}` },
    requester: { json: requesterOf },
    dueAt: { json: formatDue, text: formatDue },
    approval: { json: viewApproval, text: describeApproval },
    redacted: { json: visibleReferences },
    erased: { text: describeErased },
    kept: { json: visibleKept, text: (row, reader) => formatCounts(visibleKept(row, reader), "-") },
  },
  json:
    "organizationId, reason, basis, requestedBy, requester, dueAt, floorUntil, startedAt, redacted, kept, " +
    "restrictedOf, attempts, nextAttemptAt, waitsFor: waiting_for, approval",
  columns:
    "deletionRequestId, organizationId, record, status, requestedAt, completedAt, waitsFor: waits for",
  fields:
    "deletionRequestId, status, waitsFor: waits for, record, organizationId, reason, basis, requested, dueAt, " +
    "approval: approved, startedAt, completedAt, erased, kept: restricted, attempts, nextAttemptAt",
});

function viewApproval({ approval }: Deletion) {
  if (approval === undefined) return null;
  const { requester, approvedBy, approvedAt } = approval;
  return {
    requested_by: requester,
    approved_by: approvedBy ?? null,
    approved_at: timeOrNull(approvedAt),
  };
}

function describeApproval({ approval }: Deletion): string {
  if (approval === undefined) return "-";
  const { requester, approvedBy, approvedAt } = approval;
  if (approvedBy === undefined) return `not yet; requested by ${requester}`;
  return `${formatTime(approvedAt)} by ${approvedBy}; requested by ${requester}`;
}

/** References that were removed from records that stay, for types that the reader may count. */
function visibleReferences({ redacted, redactedByType }: Deletion, reader: Reader): number {
  // Deletions of earlier versions have no numbers by type.
  if (recordTypes.every((type) => mayCount(reader, type))) return redacted;
  return recordTypes
    .filter((type) => mayCount(reader, type))
    .reduce((sum, { resourceType }) => sum + (redactedByType[resourceType] ?? 0), 0);
}

function describeErased(deletion: Deletion, reader: Reader): string {
  const counts = formatCounts(visibleCounts(deletion, reader), "");
  const redacted = visibleReferences(deletion, reader);
  const references = redacted > 0 ? `a reference in each of ${redacted} records that stay` : "";
  return [counts, references].filter((part) => part !== "").join(", ") || "-";
}

/** Stands for the numbers of a deletion that is not completed. */
export const nobody: Reader = { confidential: confidentialTypes(), covered: new Set() };

export function viewForOperator(
  deletion: Deletion,
  waitsFor: string | undefined,
  { receipt, reader = nobody }: { receipt?: Receipt | undefined; reader?: Reader | undefined } = {},
) {
  return {
    ...viewDeletion(deletion, receipt, reader),
    ...deletions.json({ ...deletion, waitsFor }, reader),
  };
}

export function describeDeletion(
  deletion: Deletion,
  waitsFor: string | undefined,
  reader: Reader,
): string {
  return deletions.describe({ ...deletion, waitsFor }, reader);
}

const byId = { id: required(text("DELETION_REQUEST_ID"), "The deletion request.") };
const json = (deletion: Deletion) => viewForOperator(deletion, undefined);

export const deletionApprove = defineAct({
  name: "deletion approve",
  summary: "Approve a deletion request of an organization that requires an approval.",
  details:
    "Needs --as NAME, of an operator with the role officer who did not request the deletion. `sluice organization set ID " +
    "--deletion-approval on` requires approvals.",
  examples: ["sluice deletion approve del_4fQ2mN8sT1vXc7Za --as anna"],
  rights: ["deletion.approve"],
  arguments: byId,
  act: (app, { id }) => approveDeletion(app, id),
  json,
  said: ({ dueAt }, { id }, { operator, now }) => {
    const due = dueAt > now() ? `, and is due ${formatTime(dueAt)}` : "";
    return `The deletion request ${id} is approved by ${operator}${due}.`;
  },
  form: { path: "/console/approval/:id", heading: "Approve", confirm: "deletion" },
});

export const deletionCancel = defineAct({
  name: "deletion cancel",
  summary: "Cancel a deletion request that is still pending.",
  examples: ["sluice deletion cancel del_4fQ2mN8sT1vXc7Za"],
  rights: ["deletion.cancel"],
  arguments: byId,
  act: (app, { id }) => cancelDeletion(app, id),
  json,
  said: ({ resourceType, resourceId }, { id }) =>
    `The deletion request ${id} is cancelled; ${resourceType} ${resourceId} is not erased.`,
  form: { path: "/console/deletion/:id", heading: "Cancel", confirm: "deletion" },
});
