// `sluice deletion show`

import { hasPreview, showDeletion } from "../../actions/deletion/show-deletion.ts";
import { listHoldsOf } from "../../actions/retention/list-holds.ts";
import { previewRestriction } from "../../actions/deletion/preview-restriction.ts";
import { showing } from "../../actions/operator/viewer.ts";
import { defineStoreCommand, required } from "../command.ts";
import { confidentialOptions } from "../input/confidential.ts";
import { describeDeletion, viewForOperator } from "../output/deletion-view.ts";
import { renderHolds, viewHold } from "../output/hold-view.ts";
import { describeRestriction, viewRestriction } from "../output/restricted-view.ts";
import { text } from "../input/kinds.ts";

export const deletionShow = defineStoreCommand({
  name: "deletion show",
  summary:
    "Show a deletion request: its state, what it erased or waits for, its receipt, and holds on its record.",
  details:
    "Numbers of records of confidential types, such as customer_sar, are left out, so that the output can be passed on. " +
    "Deletions of confidential records, of restricted sets and of closed organizations, and what a pending deletion would move to the restricted store, are shown only with " +
    "--include-confidential.",
  examples: ["sluice deletion show del_4fQ2mN8sT1vXc7Za"],
  rights: ["deletion.read"],
  arguments: { id: required(text("DELETION_REQUEST_ID"), "The deletion request.") },
  options: confidentialOptions,
  restoring: true,
  run: async (opened, { id, includeConfidential }, { paint }) => {
    const app = showing(opened, { includeConfidential });
    const { deletion, waitsFor, receipt, reader } = await showDeletion(app, id);
    const holds = await listHoldsOf(app, deletion);
    const view = viewForOperator(deletion, waitsFor, { receipt, reader });
    const parts = [describeDeletion(deletion, waitsFor, { reader, paint })];
    if (holds.length > 0) parts.push(renderHolds(holds));
    const restriction =
      includeConfidential && hasPreview(deletion)
        ? await previewRestriction(app, deletion)
        : undefined;
    if (restriction !== undefined) parts.push(describeRestriction(restriction));
    if (view.receipt !== undefined) parts.push(JSON.stringify(view.receipt, null, 2));
    return {
      json: {
        ...view,
        holds: holds.map(viewHold),
        ...(restriction === undefined ? {} : { would_restrict: viewRestriction(restriction) }),
      },
      text: parts.filter((part) => part !== "").join("\n\n"),
    };
  },
});
