// `sluice retention …`: the commands about how long records are kept.

import { findOrganization } from "../../actions/access/find-organization.ts";
import { UsageError } from "../../actions/operator/operator-error.ts";
import { showing } from "../../actions/operator/viewer.ts";
import {
  previewRetention,
  retaining,
  type RetentionPreview,
} from "../../actions/retention/apply-retention.ts";
import { readRetention, setFloor } from "../../actions/retention/retention-floors.ts";
import { defineStoreCommand, flag, optional, required, withDefault } from "../command.ts";
import { confidentialOptions } from "../input/confidential.ts";
import { floorOrigin, keepDays, recordType, retainDays, text } from "../input/kinds.ts";
import {
  describePreview,
  describeRetention,
  viewPreview,
  viewRetention,
} from "../output/retention-view.ts";

export const retentionSet = defineStoreCommand({
  name: "retention set",
  summary: "Set how long the records of a type must be kept, or remove that rule.",
  details:
    "No deletion erases a record of this type before the time has passed: a deletion that would stays pending until then. " +
    "Counted from closing, the time begins when the account of a person or a company was closed; if it is open, with the " +
    "deletion request. The floor can't be longer than the organization's --retain-days.",
  examples: [
    "sluice retention set --organization acme --type transaction --keep-days 1825",
    "sluice retention set --organization acme --type person --keep-days 1825 --from closed",
    "sluice retention set --organization acme --type transaction --keep-days none",
  ],
  rights: ["retention.set"],
  options: {
    organization: required(text("ID"), "The organization."),
    type: required(recordType, "The type of the records."),
    keepDays: required(
      keepDays,
      "How many days of 24 hours its records must be kept; none removes the floor.",
    ),
    from: withDefault(
      floorOrigin,
      "What the days count from: the last timestamp of the record, or its closing.",
      "last_seen",
    ),
    redactable: flag(
      "Let deletions remove references, and ids of erased persons and companies, from the records that must be kept.",
    ),
  },
  run: async (app, { organization, type, keepDays: days, from, redactable }) => {
    const retention = await setFloor(app, {
      organizationId: organization,
      resourceType: type,
      keepDays: days,
      countedFrom: from,
      redactable,
    });
    return { json: viewRetention(retention), text: describeRetention(retention) };
  },
});

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
