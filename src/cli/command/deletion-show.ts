// `sluice deletion show`

import { explainWaits } from "../../actions/explain-wait.ts";
import { findDeletion } from "../../actions/find-target.ts";
import { listHoldsOf } from "../../actions/list-holds.ts";
import { findReceipt } from "../../actions/read-deletion.ts";
import { defineStoreCommand, required } from "../command.ts";
import { describeDeletion, viewForOperator } from "../output/deletion-view.ts";
import { renderHolds, viewHold } from "../output/hold-view.ts";
import { text } from "../input/kinds.ts";

export const deletionShow = defineStoreCommand({
  name: "deletion show",
  summary:
    "Show a deletion request: its state, what it erased or waits for, its receipt, and holds on its record.",
  examples: ["sluice deletion show del_4fQ2mN8sT1vXc7Za"],
  arguments: { id: required(text("DELETION_REQUEST_ID"), "The deletion request.") },
  restoring: true,
  run: async (app, { id }, { paint }) => {
    const deletion = await findDeletion(app, id);
    const waiting = (await explainWaits(app, [deletion])).get(id);
    const receipt = await findReceipt(app, deletion);
    const holds = await listHoldsOf(app, deletion);
    const parts = [describeDeletion(deletion, waiting, paint)];
    if (holds.length > 0) parts.push(renderHolds(holds));
    if (receipt !== undefined) parts.push(JSON.stringify(receipt, null, 2));
    return {
      json: { ...viewForOperator(deletion, waiting, receipt), holds: holds.map(viewHold) },
      text: parts.join("\n\n"),
    };
  },
});
