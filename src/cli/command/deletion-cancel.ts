// `sluice deletion cancel`

import { cancelDeletion } from "../../actions/deletion/cancel-deletion.ts";
import { defineStoreCommand, required } from "../command.ts";
import { viewForOperator } from "../output/deletion-view.ts";
import { text } from "../input/kinds.ts";

export const deletionCancel = defineStoreCommand({
  name: "deletion cancel",
  summary: "Cancel a deletion request that is still pending.",
  examples: ["sluice deletion cancel del_4fQ2mN8sT1vXc7Za"],
  rights: ["deletion.cancel"],
  arguments: { id: required(text("DELETION_REQUEST_ID"), "The deletion request.") },
  run: async (app, { id }) => {
    const deletion = await cancelDeletion(app, id);
    return {
      json: viewForOperator(deletion, undefined),
      text: `The deletion request ${id} is cancelled; ${deletion.resourceType} ${deletion.resourceId} is not erased.`,
    };
  },
});
