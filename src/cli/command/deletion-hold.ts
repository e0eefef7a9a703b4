// `sluice deletion hold`

import { holdRecord } from "../../actions/hold-record.ts";
import { defineCommand, required } from "../command.ts";
import { readTarget, targetArguments, targetOptions, viewHold } from "../hold-target.ts";
import { reason } from "../kinds.ts";

export const deletionHold = defineCommand({
  name: "deletion hold",
  summary: "Put a record under a legal hold: no deletion erases or changes it until the release.",
  examples: [
    'sluice deletion hold transaction tx-2026-000417 --organization acme --reason "court order 12/2026"',
    'sluice deletion hold del_4fQ2mN8sT1vXc7Za --reason "court order 12/2026"',
  ],
  arguments: targetArguments,
  options: {
    ...targetOptions,
    reason: required(reason, "Why; operators see it, the organization does not."),
  },
  run: (context, { reason: why, ...given }) => {
    const target = readTarget(given);
    return context.withApp(async (app) => {
      const hold = await holdRecord(app, target, why);
      return {
        json: viewHold(hold),
        text: `${hold.resourceType} ${hold.resourceId} of organization ${hold.organizationId} is held: ${hold.reason}`,
      };
    });
  },
});
