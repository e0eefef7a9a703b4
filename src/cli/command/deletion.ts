// `sluice deletion …`: the commands about deletion requests, except those about holds and the replay.

import { listDeletions } from "../../actions/deletion/list-deletions.ts";
import type { DeletionPreview } from "../../actions/deletion/preview-deletion.ts";
import { describeOpen, requestDeletionOf } from "../../actions/deletion/request-as-operator.ts";
import { showDeletion } from "../../actions/deletion/show-deletion.ts";
import type { ToldView } from "../../actions/deletion/read-deletion.ts";
import { showing, viewerOf } from "../../actions/operator/viewer.ts";
import { listHoldsOf } from "../../actions/retention/holds.ts";
import { deletionBasisNames } from "../../domain/deletion/basis.ts";
import { approvalWait, awaitsApproval } from "../../domain/deletion/deletion.ts";
import { defineStoreCommand, optional, required, withDefault } from "../command.ts";
import {
  confidentialOptions,
  deletionBasis,
  deletionStatus,
  organizationOfRecord,
  reason,
  recordArguments,
  recordKeyOf,
  text,
  wholeNumber,
} from "../input/kinds.ts";
import {
  describeNodes,
  type Field,
  formatCounts,
  formatTime,
  renderFields,
  renderTable,
  timeOrNull,
  viewNode,
} from "../output/table.ts";
import { deletions, describeDeletion, nobody, viewForOperator } from "../../noun/deletion.ts";
import { listedHolds } from "../../noun/hold.ts";
import type { Node } from "../../domain/deletion/erasure.ts";
import { formatDays } from "../../domain/retention/floor.ts";

export const deletionRequest = defineStoreCommand({
  name: "deletion request",
  summary: "Request the permanent deletion of a record and everything that belongs to it.",
  details:
    "The same as a DELETE request of the organization, for records of any type: it returns at once, and a serving process " +
    "processes the deletion after the grace period. While a deletion of the record is open, it returns the id of that one.",
  examples: [
    'sluice deletion request person p-81 --organization acme --reason "request of the person, case 77"',
  ],
  rights: ["deletion.request"],
  arguments: recordArguments,
  options: {
    organization: organizationOfRecord,
    reason: required(
      reason,
      "The reason. It stays in the receipt, so it should not repeat content of the record.",
    ),
    basis: optional(
      deletionBasis,
      `On which basis the request rests: ${deletionBasisNames.join(", ")}.`,
    ),
  },
  run: async (app, { reason: why, basis, ...key }) => {
    const asked = { ...recordKeyOf(key), reason: why, basis };
    const deletion = await requestDeletionOf(app, asked);
    const { deletionRequestId, status, dueAt } = deletion;
    const due = dueAt > app.now() ? `, due ${formatTime(dueAt)}` : "";
    return {
      json: viewForOperator(deletion, undefined),
      text:
        `The deletion request is ${deletionRequestId} (${status}${due}).` +
        (awaitsApproval(deletion) ? ` It waits for ${approvalWait}.` : "") +
        (deletion.wasOpen ? ` ${describeOpen(deletion)}` : ""),
    };
  },
});

export const deletionList = defineStoreCommand({
  name: "deletion list",
  summary: "List deletion requests, newest first, and what each one waits for.",
  details:
    "The end of a retention floor is as of the last evaluation of the deletion, up to seven days ago; " +
    "`sluice deletion show` has it as of now. " +
    "Deletions of confidential records and of closed organizations are shown only with --include-confidential.",
  examples: ["sluice deletion list --organization acme --status pending"],
  rights: ["deletion.read"],
  options: {
    organization: optional(text("ID"), "Only deletions of this organization."),
    status: optional(
      deletionStatus,
      "Only deletions that are pending, processing, completed or cancelled.",
    ),
    limit: withDefault(wholeNumber("N", 1, 10_000), "Maximum number to list.", "50"),
    ...confidentialOptions,
  },
  restoring: true,
  run: async (opened, { organization, status, limit, includeConfidential }) => {
    const app = showing(opened, { includeConfidential });
    const query = { organizationId: organization, status };
    const { shown } = await listDeletions(app, query, { limit, partsMax: Infinity });
    const ids = shown.map(({ deletion }) => deletion.organizationId);
    const readers = await viewerOf(app).readers(ids);
    return {
      json: {
        deletions: shown.map(({ deletion, waitsFor }) => {
          const reader = readers.get(deletion.organizationId);
          return viewForOperator(deletion, waitsFor, { reader });
        }),
      },
      text:
        shown.length === 0
          ? "There is no deletion request to list."
          : deletions.table(
              shown.map(({ deletion, waitsFor }) => ({ ...deletion, waitsFor })),
              nobody,
            ),
    };
  },
});

export const deletionShow = defineStoreCommand({
  name: "deletion show",
  summary:
    "Show a deletion request: its state, what it erased or would erase now, what it waits for, its receipt, and holds on its record.",
  details:
    "Numbers of records of confidential types, such as customer_sar, are left out, so that the output can be passed on. " +
    "Deletions of confidential records, of restricted sets and of closed organizations, and what a pending deletion would move to the restricted store, are shown only with " +
    "--include-confidential.",
  examples: ["sluice deletion show del_4fQ2mN8sT1vXc7Za"],
  rights: ["deletion.read"],
  arguments: { id: required(text("DELETION_REQUEST_ID"), "The deletion request.") },
  options: confidentialOptions,
  restoring: true,
  run: async (opened, { id, includeConfidential }) => {
    const app = showing(opened, { includeConfidential });
    const shown = await showDeletion(app, id);
    const { deletion, waitsFor, receipt, reader, recipients, statement, preview } = shown;
    const holds = await listHoldsOf(app, deletion);
    const view = viewForOperator(deletion, waitsFor, { receipt, reader });
    const parts = [describeDeletion(deletion, waitsFor, reader)];
    if (holds.length > 0) parts.push(listedHolds.table(holds));
    if (recipients.length > 0) parts.push(renderTable(toldColumns, recipients));
    if (preview !== undefined) parts.push(describePlan(preview));
    if (view.receipt !== undefined) parts.push(JSON.stringify(view.receipt, null, 2));
    if (statement !== undefined) parts.push(JSON.stringify(statement, null, 2));
    return {
      json: {
        ...view,
        holds: holds.map((one) => listedHolds.json(one)),
        ...(recipients.length === 0 ? {} : { recipients }),
        ...(statement === undefined ? {} : { statement }),
        ...(preview === undefined ? {} : viewPreview(preview, { includeConfidential })),
      },
      text: parts.filter((part) => part !== "").join("\n\n"),
    };
  },
});

const toldColumns = [
  ["recipient", ({ name }: ToldView) => name],
  ["informed", ({ told_at }: ToldView) => told_at],
  ["acknowledged", ({ acknowledged_at }: ToldView) => acknowledged_at ?? "-"],
  ["removed", ({ removed_at }: ToldView) => removed_at ?? "-"],
  ["expired", ({ expired_at }: ToldView) => expired_at ?? "-"],
] as const;

function viewPreview(
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

function describePlan(preview: DeletionPreview): string {
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
