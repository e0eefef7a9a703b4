// `sluice deletion release`

import { releaseRecord } from "../../actions/release-record.ts";
import { defineCommand } from "../command.ts";
import { readTarget, targetArguments, targetOptions, viewHold } from "../hold-target.ts";

export const deletionRelease = defineCommand({
  name: "deletion release",
  summary: "End the legal hold on a record; deletions that waited for it go on.",
  examples: [
    "sluice deletion release transaction tx-2026-000417 --organization acme",
    "sluice deletion release del_4fQ2mN8sT1vXc7Za",
  ],
  arguments: targetArguments,
  options: targetOptions,
  run: (context, given) => {
    const target = readTarget(given);
    return context.withApp(async (app) => {
      const hold = await releaseRecord(app, target);
      return {
        json: viewHold(hold),
        text: `${hold.resourceType} ${hold.resourceId} of organization ${hold.organizationId} is no longer held.`,
      };
    });
  },
});
