// `sluice deletion release`

import { releaseHold } from "../../actions/retention/release-hold.ts";
import { defineCommand, optional, required } from "../command.ts";
import { text } from "../input/kinds.ts";
import { readTarget, targetOptions } from "../input/target.ts";
import { viewHold } from "../output/hold-view.ts";

export const deletionRelease = defineCommand({
  name: "deletion release",
  summary: "Release a legal hold. Deletions that waited for it continue once no hold is left.",
  details:
    "Takes the id of the hold. If a record has only one hold, the record or a deletion request for it may be named instead; if " +
    "it has several, this lists them and releases none.",
  examples: [
    "sluice deletion release hold_7dKp2QmX9sT1vZa4",
    "sluice deletion release transaction tx-2026-000417 --organization acme",
    "sluice deletion release del_4fQ2mN8sT1vXc7Za",
  ],
  rights: ["hold.release"],
  arguments: {
    what: required(
      text("HOLD_ID|TYPE|DELETION_REQUEST_ID"),
      "Id of the hold; or type of the record, followed by its id; or the id of a deletion request.",
    ),
    id: optional(text("ID"), "Id of the record."),
  },
  options: targetOptions,
  run: (context, given) => {
    const isHold = given.id === undefined && given.what.startsWith("hold_");
    const target = isHold ? { holdId: given.what } : readTarget(given);
    return context.withApp(
      async (app) => {
        const { hold, remaining } = await releaseHold(app, target);
        const record = `${hold.resourceType} ${hold.resourceId} of organization ${hold.organizationId}`;
        const left = remaining.map(({ holdId, reason }) => `\n  ${holdId}  ${reason}`).join("");
        return {
          json: { ...viewHold(hold), remaining: remaining.map(viewHold) },
          text:
            left === ""
              ? `${record} is no longer held.`
              : `The hold ${hold.holdId} is released. ${record} is still held by:${left}`,
        };
      },
      { restoring: true },
    );
  },
});
