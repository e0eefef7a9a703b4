// `sluice deletion show`

import { explainWaits } from "../../actions/explain-wait.ts";
import { findDeletion } from "../../actions/find-target.ts";
import { findReceipt } from "../../actions/read-deletion.ts";
import { defineCommand, required } from "../command.ts";
import { describeDeletion, viewForOperator } from "../deletion-view.ts";
import { text } from "../kinds.ts";

export const deletionShow = defineCommand({
  name: "deletion show",
  summary: "Show a deletion request, what it erased, its receipt, and what keeps it back.",
  examples: ["sluice deletion show del_4fQ2mN8sT1vXc7Za"],
  arguments: { id: required(text("DELETION_REQUEST_ID"), "The deletion request.") },
  options: {},
  run: (context, { id }) =>
    context.withApp(async (app) => {
      const deletion = await findDeletion(app, id);
      const waiting = (await explainWaits(app, [deletion])).get(id);
      const receipt = await findReceipt(app, deletion);
      const described = describeDeletion(deletion, waiting);
      return {
        json: viewForOperator(deletion, waiting, receipt),
        text:
          receipt === undefined ? described : `${described}\n\n${JSON.stringify(receipt, null, 2)}`,
      };
    }),
});
