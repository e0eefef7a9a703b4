// `sluice deletion request`

import { requestDeletionOf } from "../../actions/deletion/request-deletion.ts";
import { approvalWait, awaitsApproval } from "../../domain/deletion/approval.ts";
import { defineStoreCommand, required } from "../command.ts";
import { viewForOperator } from "../output/deletion-view.ts";
import { reason, recordType, text } from "../input/kinds.ts";
import { formatTime } from "../output/table.ts";

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
  arguments: {
    type: required(recordType, "Type of the record, such as transaction."),
    id: required(text("ID"), "Id of the record."),
  },
  options: {
    organization: required(text("ID"), "Organization that the record belongs to."),
    reason: required(
      reason,
      "The reason. It stays in the receipt, so it should not repeat content of the record.",
    ),
  },
  run: async (app, { type, id, organization, reason: why }) => {
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
      text:
        `The deletion request is ${deletionRequestId} (${status}${due}).` +
        (awaitsApproval(deletion) ? ` It waits for ${approvalWait}.` : ""),
    };
  },
});
