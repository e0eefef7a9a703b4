// `sluice deletion holds`

import { listHolds, requireListable } from "../../actions/retention/list-holds.ts";
import { showing } from "../../actions/operator/viewer.ts";
import { limits } from "../../domain/limits.ts";
import { defineStoreCommand, flag, optional, withDefault } from "../command.ts";
import { confidentialOptions } from "../input/confidential.ts";
import { recordType, text, wholeNumber } from "../input/kinds.ts";
import { renderHoldsOfRecords, viewHold } from "../output/hold-view.ts";

export const deletionHolds = defineStoreCommand({
  name: "deletion holds",
  summary: "List legal holds with their records, reasons, owners and review dates.",
  details:
    "Holds on records of confidential types and of restricted sets are listed only with --include-confidential.",
  examples: ["sluice deletion holds --organization acme", "sluice deletion holds --overdue"],
  rights: ["hold.read"],
  options: {
    organization: optional(text("ID"), "Only holds of this organization."),
    type: optional(recordType, "Only holds on records of this type, such as transaction."),
    overdue: flag("Only holds whose review date has passed."),
    limit: withDefault(
      wholeNumber("N", 1, limits.holdsListedAtOnce),
      "Maximum number to list.",
      String(limits.holdsListedAtOnce),
    ),
    after: optional(text("HOLD_ID"), "Continue after this hold, in the order of ids."),
    ...confidentialOptions,
  },
  restoring: true,
  run: async (opened, { organization, type, overdue, limit, after, includeConfidential }) => {
    const app = showing(opened, { includeConfidential });
    const review = overdue ? ("overdue" as const) : undefined;
    const query = { organizationId: organization, resourceType: type, review };
    await requireListable(app, query);
    const { shown } = await listHolds(app, query, { after, limit, examinedMax: Infinity });
    const holds = shown.map(({ hold }) => hold);
    const next = holds.length === limit ? holds.at(-1)?.holdId : undefined;
    const more = next === undefined ? "" : `\nThere may be more: --after ${next}`;
    return {
      json: { holds: holds.map(viewHold), next: next ?? null },
      text: holds.length === 0 ? "There is no hold to list." : renderHoldsOfRecords(holds) + more,
    };
  },
});
