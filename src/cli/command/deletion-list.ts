// `sluice deletion list`

import { requireOrganization } from "../../actions/access/find-organization.ts";
import type { ShownDeletion } from "../../actions/deletion/deletion-wait.ts";
import { listDeletions } from "../../actions/deletion/list-deletions.ts";
import { showing, viewerOf } from "../../actions/operator/viewer.ts";
import { defineStoreCommand, optional, withDefault } from "../command.ts";
import { confidentialOptions } from "../input/confidential.ts";
import { toneOfDeletion, viewForOperator } from "../output/deletion-view.ts";
import { deletionStatus, text, wholeNumber } from "../input/kinds.ts";
import { type Column, formatTime, renderTable } from "../output/table.ts";

export const deletionList = defineStoreCommand({
  name: "deletion list",
  summary: "List deletion requests, newest first, and what each one waits for.",
  details:
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
  run: async (opened, { organization, status, limit, includeConfidential }, { paint }) => {
    const app = showing(opened, { includeConfidential });
    await requireOrganization(app, organization);
    const query = { organizationId: organization, status };
    const { shown } = await listDeletions(app, query, { limit, partsMax: Infinity });
    const ids = shown.map(({ deletion }) => deletion.organizationId);
    const readers = await viewerOf(app).readers(ids);
    return {
      json: {
        deletions: shown.map(({ deletion, waitsFor }) => {
          const reader = readers.get(deletion.organizationId);
          return viewForOperator(deletion, waitsFor, reader && { reader });
        }),
      },
      text:
        shown.length === 0
          ? "There is no deletion request to list."
          : renderTable(columns, shown, paint),
    };
  },
});

const columns: readonly Column<ShownDeletion>[] = [
  { title: "deletion request", cell: ({ deletion }) => deletion.deletionRequestId },
  { title: "organization", cell: ({ deletion }) => deletion.organizationId },
  {
    title: "record",
    cell: ({ deletion: { resourceType, resourceId } }) => `${resourceType} ${resourceId}`,
  },
  {
    title: "status",
    cell: ({ deletion }) => deletion.status,
    tone: ({ deletion }) => toneOfDeletion(deletion),
  },
  { title: "requested", cell: ({ deletion }) => formatTime(deletion.requestedAt) },
  { title: "completed", cell: ({ deletion }) => formatTime(deletion.completedAt) },
  { title: "waits for", cell: ({ waitsFor = "-" }) => waitsFor },
];
