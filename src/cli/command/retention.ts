// `sluice retention …`: the commands about how long records are kept.

import type { App } from "../../actions/app.ts";
import { findOrganization } from "../../actions/access/find-organization.ts";
import { OperatorError, UsageError } from "../../actions/operator/operator-error.ts";
import { showing } from "../../actions/operator/viewer.ts";
import { retaining } from "../../actions/retention/apply-retention.ts";
import {
  previewRetention,
  requireFuture,
  type RetentionPreview,
} from "../../actions/retention/preview-retention.ts";
import {
  planRule,
  readRetention,
  type RulePlan,
  setPlanned,
} from "../../actions/retention/retention-rules.ts";
import { defineStoreCommand, flag, optional, required } from "../command.ts";
import {
  confidentialOptions,
  day,
  floorOrigin,
  recordType,
  retainDays,
  ruleDays,
  text,
} from "../input/kinds.ts";
import {
  describePreview,
  describeRetention,
  viewPlan,
  viewPreview,
  viewRetention,
} from "../output/retention-view.ts";
import { sluice } from "../../basics/program-name.ts";

export const retentionSet = defineStoreCommand({
  name: "retention set",
  summary:
    "Set how long the records of a type must be kept, and when they are erased by themselves.",
  details:
    "The floor, --keep-days: no deletion erases a record of this type before the time has passed; a deletion that would " +
    "stays pending until then. The ceiling, --delete-after-days or --delete: when this time has passed, a running server " +
    "requests the deletion of the record, which waits for holds and floors as any other. It takes the place of the " +
    "organization's --retain-days for this type. Both count from the same time. A record without that time, such as an " +
    "account that is not closed, does not reach the ceiling; its floor counts from the deletion request. Options that are " +
    "not given stay unchanged. A ceiling before the end of the floor is refused.",
  examples: [
    "sluice retention set --organization acme --type transaction --keep-days 1827",
    "sluice retention set --organization acme --type person --keep-days 1827 --delete --from closed --dry-run",
    "sluice retention set --organization acme --type person --keep-days 1827 --delete-after-days 3653 --from closed --yes",
    "sluice retention set --organization acme --type transaction --keep-days none",
  ],
  rights: ["retention.set"],
  options: {
    organization: required(text("ID"), "The organization."),
    type: required(recordType, "The type of the records."),
    keepDays: optional(
      ruleDays,
      "How many days of 24 hours its records must be kept; none removes the floor.",
    ),
    deleteAfterDays: optional(
      ruleDays,
      "After how many days its records are erased without a request; none removes the ceiling.",
    ),
    delete: flag("Erase its records without a request as soon as the floor ends."),
    from: optional(
      floorOrigin,
      "What the days count from: the last timestamp of the record (last_seen), its closing (closed), or its filing (report_filed_at). Default: as before; last_seen for a new rule.",
    ),
    redactable: flag(
      "Let deletions remove references, and ids of erased persons and companies, from the records that must be kept.",
    ),
    noRedactable: flag("Keep these references and ids, too, after a rule with --redactable."),
    dryRun: flag("Show what the rule would do, and what would be erased now; nothing is changed."),
    yes: flag(
      "Confirm a rule that lets records be erased earlier than before: a ceiling that they reach earlier, or a weaker floor, for which deletions may wait.",
    ),
  },
  run: async (app, { organization, type, keepDays, from, dryRun, yes, ...given }) => {
    if (given.delete && given.deleteAfterDays !== undefined) {
      throw new UsageError("--delete and --delete-after-days exclude each other.");
    }
    if (given.redactable && given.noRedactable) {
      throw new UsageError("--redactable and --no-redactable exclude each other.");
    }
    const wanted = {
      organizationId: organization,
      resourceType: type,
      keepDays,
      deleteAfterDays: given.delete ? ("floor" as const) : given.deleteAfterDays,
      countedFrom: from,
      redactable: given.redactable || given.noRedactable ? given.redactable : undefined,
    };
    const plan = await planRule(app, wanted);
    if (dryRun) {
      const preview = await previewPlan(app, plan);
      return {
        json: viewPlan(plan, preview),
        text: `Nothing was changed. ${plan.effect} Now it would erase:\n${describePreview(preview)}`,
      };
    }
    if (plan.erasesEarlier && !yes) throw notConfirmed(plan, await previewPlan(app, plan));
    const retention = await setPlanned(app, plan);
    return {
      json: viewRetention(retention),
      text: `${plan.effect}\n\n${describeRetention(retention)}`,
    };
  },
});

function previewPlan(app: App, { organization, bounds }: RulePlan): Promise<RetentionPreview> {
  return previewRetention(showing(app, { includeConfidential: false }), organization, { bounds });
}

function notConfirmed({ effect }: RulePlan, preview: RetentionPreview): OperatorError {
  return new OperatorError(
    "not_confirmed",
    `Nothing was changed. ${effect} A serving process would begin within a minute to permanently delete:\n` +
      `${describePreview(preview)}\nConfidential records are deleted too, and not listed. Add --yes to confirm.`,
  );
}

export const retentionShow = defineStoreCommand({
  name: "retention show",
  summary:
    "Show how long an organization keeps its records: the ceiling, and the floor of each type.",
  examples: ["sluice retention show --organization acme"],
  rights: ["retention.read"],
  options: { organization: required(text("ID"), "The organization.") },
  run: async (app, { organization }) => {
    const retention = await readRetention(app, organization);
    return { json: viewRetention(retention), text: describeRetention(retention) };
  },
});

export const retentionPreview = defineStoreCommand({
  name: "retention preview",
  summary:
    "Show which records the ceilings would erase, now or by a later day; nothing is deleted.",
  details:
    "A record is due when the ceiling of its type has passed, or else the organization's --retain-days since it was last " +
    "seen. A record under a legal hold or a retention floor is kept. Under --retain-days, so is a record to which a " +
    "more recent one belongs. A running server checks every minute and queues the deletions, which are processed, " +
    "verified and receipted like any other. Records that belong only to these are erased with them; records that belong to " +
    "others too are erased with the last of them. With --at, the result is for the beginning of that day in UTC, if no record " +
    "and no rule changes until then. Confidential records are left out, and deleted in the same way.",
  examples: [
    "sluice retention preview",
    "sluice retention preview --organization acme --at 2031-01-01",
    "sluice retention preview --organization acme --days 365",
  ],
  rights: ["retention.read"],
  options: {
    organization: optional(text("ID"), "Only this organization."),
    at: optional(day, "A day in the future, instead of now."),
    days: optional(
      retainDays,
      "Preview this number of days instead of the organization's --retain-days.",
    ),
    ...confidentialOptions,
  },
  run: async (opened, { organization: id, at: date, days, includeConfidential }) => {
    const app = showing(opened, { includeConfidential });
    if (id === undefined && days !== undefined) {
      throw new UsageError("--days needs --organization.");
    }
    const at = date === undefined ? undefined : requireFuture(app, date);
    const asked = id === undefined ? await retaining(app) : [await findOrganization(app, id)];
    const previews: RetentionPreview[] = [];
    for (const organization of asked) {
      const shown =
        days === undefined || days === null ? organization : { ...organization, retainDays: days };
      previews.push(await previewRetention(app, shown, { at }));
    }
    return {
      json: { organizations: previews.map(viewPreview) },
      text:
        previews.length === 0
          ? `No organization has a ceiling. Set one with: ${sluice} retention set … --delete-after-days N, or ${sluice} organization set ID --retain-days N`
          : previews.map(describePreview).join("\n\n"),
    };
  },
});
