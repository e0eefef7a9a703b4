// `sluice deletion hold`

import { holdRecord } from "../../actions/retention/hold-record.ts";
import { defineCommand, optional, required } from "../command.ts";
import { day, lineOfText, reason, text } from "../input/kinds.ts";
import { readTarget, targetArguments, targetOptions } from "../input/target.ts";
import { viewHold } from "../output/hold-view.ts";

export const deletionHold = defineCommand({
  name: "deletion hold",
  summary:
    "Put a record under a legal hold: no deletion erases or changes it until the hold is released.",
  details:
    "A record may have several holds, and is kept until all of them are released. Prints the id of the hold, which " +
    "`sluice deletion release` takes.",
  examples: [
    'sluice deletion hold transaction tx-2026-000417 --organization acme --reason "court order 12/2026" --owner legal --review-date 2026-12-31',
    'sluice deletion hold del_4fQ2mN8sT1vXc7Za --reason "court order 12/2026"',
  ],
  rights: ["hold.place"],
  arguments: targetArguments,
  options: {
    ...targetOptions,
    reason: required(reason, "The reason; operators see it, the organization does not."),
    owner: optional(lineOfText("NAME"), "Who is responsible, such as a person or a department."),
    reviewDate: optional(
      day,
      "The day to decide whether the hold is still needed; see `deletion holds --overdue`.",
    ),
    restricted: optional(
      text("DELETION_REQUEST_ID"),
      "For a record in the restricted store: the deletion request that moved it there.",
    ),
  },
  run: (context, { reason: why, owner, reviewDate, restricted, ...given }) => {
    const target = readTarget(given);
    return context.withApp(async (app) => {
      const wanted = { reason: why, owner, reviewOn: reviewDate, restrictedBy: restricted };
      const hold = await holdRecord(app, target, wanted);
      return {
        json: viewHold(hold),
        text: `${hold.resourceType} ${hold.resourceId} of organization ${hold.organizationId} is held: ${hold.reason}\nThe hold is ${hold.holdId}.`,
      };
    });
  },
});
