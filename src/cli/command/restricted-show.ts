// `sluice restricted show`

import { showRestrictedSet } from "../../actions/retention/restricted-sets.ts";
import { defineStoreCommand, required, withDefault } from "../command.ts";
import { text, wholeNumber } from "../input/kinds.ts";
import { restrictedOptions } from "../input/restricted.ts";
import { describeSet, viewSetDetails } from "../output/restricted-view.ts";

export const restrictedShow = defineStoreCommand({
  name: "restricted show",
  summary: "Show a restricted set: its records, their legal holds, and until when they are kept.",
  details:
    "Also shows which references remain in reports that stay in the organization, until the set is erased, and for whom a " +
    "pseudonym stands in the transactions of such reports. The audit trail records who used " +
    "this, when, and the reason if one is given. `sluice restricted export` prints the content of the records.",
  examples: ["sluice restricted show del_4fQ2mN8sT1vXc7Za --organization acme"],
  rights: ["restricted.show"],
  arguments: {
    id: required(text("DELETION_REQUEST_ID"), "The deletion request that moved the records."),
  },
  options: {
    ...restrictedOptions,
    limit: withDefault(wholeNumber("N", 1, 10_000), "Maximum number of records to show.", "1000"),
  },
  run: async (app, { id, organization, reason, limit }) => {
    const access = { organizationId: organization, reason };
    const shown = await showRestrictedSet(app, access, { deletionRequestId: id, limit });
    return { json: viewSetDetails(shown), text: describeSet(shown) };
  },
});
