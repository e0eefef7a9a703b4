// `sluice restricted list`

import { listRestrictedSets } from "../../actions/retention/restricted-sets.ts";
import { defineStoreCommand } from "../command.ts";
import { restrictedOptions } from "../input/restricted.ts";
import { renderSets, viewSet } from "../output/restricted-view.ts";

export const restrictedList = defineStoreCommand({
  name: "restricted list",
  summary:
    "List what deletions of an organization had to keep: confidential reports and what supports them.",
  details:
    "A confidential report under a legal hold or a retention floor does not delay a deletion. It moves to a restricted set, with " +
    "the transactions and alerts that it names, and is erased when the last hold is released and the last floor has ended. " +
    "Nobody but operators can read restricted sets. The audit trail records who used this, when, and the reason if one is given.",
  examples: ['sluice restricted list --organization acme --reason "annual review"'],
  rights: ["restricted.list"],
  options: restrictedOptions,
  run: async (app, { organization, reason }) => {
    const sets = await listRestrictedSets(app, { organizationId: organization, reason });
    return {
      json: { sets: sets.map(viewSet) },
      text: sets.length === 0 ? "Nothing is restricted." : renderSets(sets),
    };
  },
});
