// `sluice deletion request`

import { requestDeletionOf } from "../../actions/request-deletion.ts";
import { defineCommand, required } from "../command.ts";
import { viewForOperator } from "../output/deletion-view.ts";
import { reason, text } from "../input/kinds.ts";
import { formatTime } from "../output/table.ts";

export const deletionRequest = defineCommand({
  name: "deletion request",
  summary: "Request the permanent deletion of a record and of everything that belongs to it.",
  details:
    "The same as a DELETE of the organization's: it answers at once, a serving process processes it after the grace period, " +
    "and while one is open for the record it gives the same id. Records of any type can be named.",
  examples: [
    'sluice deletion request person p-81 --organization acme --reason "request of the person, case 77"',
  ],
  arguments: {
    type: required(text("TYPE"), "Type of the record, such as transaction."),
    id: required(text("ID"), "Id of the record."),
  },
  options: {
    organization: required(text("ID"), "Organization that the record belongs to."),
    reason: required(
      reason,
      "Why; it stays in the receipt, so no content of the record belongs in it.",
    ),
  },
  run: (context, { type, id, organization, reason: why }) =>
    context.withApp(
      async (app) => {
        const deletion = await requestDeletionOf(app, {
          organizationId: organization,
          resourceType: type,
          resourceId: id,
          reason: why,
        });
        const { deletionRequestId, status, dueAt } = deletion;
        const due = dueAt > app.now() ? `, due ${formatTime(dueAt)}` : "";
        return {
          json: viewForOperator(deletion, undefined),
          text: `The deletion request is ${deletionRequestId} (${status}${due}).`,
        };
      },
      { existing: true },
    ),
});
