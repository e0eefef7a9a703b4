// `sluice deletion approve`

import { approveDeletion } from "../../actions/deletion/approve-deletion.ts";
import { defineStoreCommand, required } from "../command.ts";
import { viewForOperator } from "../output/deletion-view.ts";
import { text } from "../input/kinds.ts";
import { formatTime } from "../output/table.ts";

export const deletionApprove = defineStoreCommand({
  name: "deletion approve",
  summary: "Approve a deletion request of an organization that requires an approval.",
  details:
    "Needs --as NAME, of an operator with the role officer who did not request the deletion. `sluice organization set ID " +
    "--deletion-approval on` requires approvals.",
  examples: ["sluice deletion approve del_4fQ2mN8sT1vXc7Za --as anna"],
  rights: ["deletion.approve"],
  arguments: { id: required(text("DELETION_REQUEST_ID"), "The deletion request.") },
  run: async (app, { id }) => {
    const deletion = await approveDeletion(app, id);
    const { dueAt } = deletion;
    const due = dueAt > app.now() ? `, and is due ${formatTime(dueAt)}` : "";
    return {
      json: viewForOperator(deletion, undefined),
      text: `The deletion request ${id} is approved by ${app.operator}${due}.`,
    };
  },
});
