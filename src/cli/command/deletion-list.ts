// `sluice deletion list`

import type { App } from "../../actions/app.ts";
import { withWaits } from "../../actions/deletion/deletion-filter.ts";
import { listDeletions } from "../../actions/deletion/read-deletion.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
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
    const deletions = await listDeletions(app, {
      organizationId: organization,
      status,
      limit,
    });
    const waits = await readWaits(app, deletions);
    const ids = deletions.map(({ organizationId }) => organizationId);
    const readers = await viewerOf(app).readers(ids);
    return {
      json: {
        deletions: deletions.map((deletion) => {
          const reader = readers.get(deletion.organizationId);
          const waiting = waits.get(deletion.deletionRequestId);
          return viewForOperator(deletion, waiting, reader && { reader });
        }),
      },
      text:
        deletions.length === 0
          ? "There is no deletion request to list."
          : renderTable(columns(waits), deletions, paint),
    };
  },
});

/** Maps deletion request ids to what the deletions wait for. */
async function readWaits(
  app: App,
  deletions: readonly Deletion[],
): Promise<ReadonlyMap<string, string>> {
  const shown = await withWaits(app, deletions);
  return new Map(
    shown.flatMap(({ deletion, waitsFor }): [string, string][] =>
      waitsFor === undefined ? [] : [[deletion.deletionRequestId, waitsFor]],
    ),
  );
}

function columns(waits: ReadonlyMap<string, string>): readonly Column<Deletion>[] {
  return [
    { title: "deletion request", cell: ({ deletionRequestId }) => deletionRequestId },
    { title: "organization", cell: ({ organizationId }) => organizationId },
    { title: "record", cell: ({ resourceType, resourceId }) => `${resourceType} ${resourceId}` },
    { title: "status", cell: ({ status }) => status, tone: toneOfDeletion },
    { title: "requested", cell: ({ requestedAt }) => formatTime(requestedAt) },
    { title: "completed", cell: ({ completedAt }) => formatTime(completedAt) },
    { title: "waits for", cell: ({ deletionRequestId }) => waits.get(deletionRequestId) ?? "-" },
  ];
}
