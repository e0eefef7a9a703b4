// `sluice deletion show`

import { withWaits } from "../../actions/deletion-filter.ts";
import { findDeletion } from "../../actions/find-target.ts";
import { listHoldsOf } from "../../actions/list-holds.ts";
import { officialReader, publicReader } from "../../actions/operator-reader.ts";
import { findReceipt } from "../../actions/read-deletion.ts";
import { requireRight } from "../../actions/require-right.ts";
import { defineStoreCommand, flag, required } from "../command.ts";
import { describeDeletion, viewForOperator } from "../output/deletion-view.ts";
import { renderHolds, viewHold } from "../output/hold-view.ts";
import { text } from "../input/kinds.ts";

export const deletionShow = defineStoreCommand({
  name: "deletion show",
  summary:
    "Show a deletion request: its state, what it erased or waits for, its receipt, and holds on its record.",
  details:
    "Numbers of records of confidential types, such as customer_sar, are left out, and so is a receipt of an earlier version, " +
    "which contains them, so that the output can be passed on.",
  examples: ["sluice deletion show del_4fQ2mN8sT1vXc7Za"],
  rights: ["deletion.read"],
  arguments: { id: required(text("DELETION_REQUEST_ID"), "The deletion request.") },
  options: { includeConfidential: flag("Also show what is confidential.") },
  restoring: true,
  run: async (app, { id, includeConfidential }, { paint }) => {
    const deletion = await findDeletion(app, id);
    if (includeConfidential) requireRight(app, "confidential.read");
    const waiting = (await withWaits(app, [deletion]))[0]?.waitsFor;
    const receipt = await findReceipt(app, deletion);
    const holds = await listHoldsOf(app, deletion);
    const readerOf = includeConfidential ? officialReader : publicReader;
    const reader = await readerOf(app, deletion.organizationId);
    const view = viewForOperator(deletion, waiting, { receipt, reader });
    const parts = [describeDeletion(deletion, waiting, { reader, paint })];
    if (holds.length > 0) parts.push(renderHolds(holds));
    if (view.receipt !== undefined) parts.push(JSON.stringify(view.receipt, null, 2));
    return {
      json: { ...view, holds: holds.map(viewHold) },
      text: parts.join("\n\n"),
    };
  },
});
