// `sluice deletion holds`

import { listHolds } from "../../actions/list-holds.ts";
import { limits } from "../../domain/limits.ts";
import { defineCommand, flag, optional, withDefault } from "../command.ts";
import { renderHoldsOfRecords, viewHold } from "../input/hold-target.ts";
import { text, wholeNumber } from "../input/kinds.ts";

export const deletionHolds = defineCommand({
  name: "deletion holds",
  summary: "List legal holds: which records they keep, why, who answers for them, and until when.",
  examples: ["sluice deletion holds --organization acme", "sluice deletion holds --overdue"],
  arguments: {},
  options: {
    organization: optional(text("ID"), "Only those of this organization."),
    type: optional(text("TYPE"), "Only those on records of this type, such as transaction."),
    overdue: flag("Only those whose review date has passed."),
    limit: withDefault(
      wholeNumber("N", 1, limits.holdsListedAtOnce),
      "At most so many.",
      String(limits.holdsListedAtOnce),
    ),
    after: optional(text("HOLD_ID"), "Go on after this one, in the order of ids."),
  },
  run: (context, { organization, type, overdue, limit, after }) =>
    context.withApp(
      async (app) => {
        const holds = await listHolds(app, {
          organizationId: organization,
          resourceType: type,
          reviewBefore: overdue ? new Date(app.now()).toISOString().slice(0, 10) : undefined,
          after,
          limit,
        });
        const next = holds.length === limit ? holds.at(-1)?.holdId : undefined;
        const more = next === undefined ? "" : `\nThere may be more: --after ${next}`;
        return {
          json: { holds: holds.map(viewHold), next: next ?? null },
          text:
            holds.length === 0 ? "There is no hold to list." : renderHoldsOfRecords(holds) + more,
        };
      },
      { existing: true, restoring: true },
    ),
});
