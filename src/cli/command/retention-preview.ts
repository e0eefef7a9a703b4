// `sluice retention preview`

import {
  previewRetention,
  type RetentionPreview,
  retaining,
} from "../../actions/retention/apply-retention.ts";
import { findOrganization } from "../../actions/access/find-organization.ts";
import { UsageError } from "../../actions/operator/operator-error.ts";
import { showing } from "../../actions/operator/viewer.ts";
import { defineStoreCommand, optional } from "../command.ts";
import { confidentialOptions } from "../input/confidential.ts";
import { retainDays, text } from "../input/kinds.ts";
import { describePreview, viewPreview } from "../output/retention-view.ts";

export const retentionPreview = defineStoreCommand({
  name: "retention preview",
  summary: "Show which records retention would delete now; nothing is deleted.",
  details:
    "A record is due when its last_seen is more than the organization's --retain-days ago. A record under a legal hold or " +
    "a retention floor is kept, and so is one that a more recent record belongs to. A running server checks every minute and queues the " +
    "deletions, which are processed, verified and receipted like any other. Confidential records are left out, and deleted in the " +
    "same way.",
  examples: ["sluice retention preview", "sluice retention preview --organization acme --days 365"],
  rights: ["retention.read"],
  options: {
    organization: optional(text("ID"), "Only this organization."),
    days: optional(retainDays, "Preview this number of days instead of the organization's own."),
    ...confidentialOptions,
  },
  run: async (opened, { organization: id, days, includeConfidential }) => {
    const app = showing(opened, { includeConfidential });
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
          ? "No organization has a retention time. Set one with: sluice organization set ID --retain-days N"
          : previews.map(describePreview).join("\n\n"),
    };
  },
});
