// `sluice retention preview`

import {
  previewRetention,
  type RetentionPreview,
  retaining,
} from "../../actions/apply-retention.ts";
import { findOrganization } from "../../actions/find-organization.ts";
import { UsageError } from "../cli-error.ts";
import { defineCommand, optional } from "../command.ts";
import { retainDays, text } from "../kinds.ts";
import { describePreview, viewPreview } from "../retention-view.ts";

export const retentionPreview = defineCommand({
  name: "retention preview",
  summary: "Show which records retention would delete now; nothing is deleted.",
  details:
    "A record is past its time when its last_seen is longer ago than the organization's --retain-days. One under a legal hold " +
    "stays, and so does one to which something belongs that was seen later. A serving process looks every minute and queues " +
    "the deletions, which are carried out, verified and receipted as any other.",
  examples: ["sluice retention preview", "sluice retention preview --organization acme --days 365"],
  arguments: {},
  options: {
    organization: optional(text("ID"), "Only this organization."),
    days: optional(retainDays, "As if the organization were set to so many days."),
  },
  run: (context, { organization: id, days }) =>
    context.withApp(
      async (app) => {
        if (id === undefined && days !== undefined) {
          throw new UsageError("--days needs --organization.");
        }
        const known = id === undefined ? undefined : await findOrganization(app, id);
        const one =
          known === undefined || days === undefined || days === null
            ? known
            : { ...known, retainDays: days };
        const asked = one === undefined ? await retaining(app) : [one];
        const previews: RetentionPreview[] = [];
        for (const organization of asked) {
          if (organization.retainDays !== undefined) {
            previews.push(await previewRetention(app, organization));
          }
        }
        return {
          json: { organizations: previews.map(viewPreview) },
          text:
            previews.length === 0
              ? "Records are kept until somebody asks; set a time with: sluice organization set ID --retain-days N"
              : previews.map(describePreview).join("\n\n"),
        };
      },
      { existing: true },
    ),
});
