// `sluice organization create`, `list` and `show`.

import { createOrganization } from "../../actions/access/create-organization.ts";
import {
  countRecords,
  findOrganization,
  listOrganizations,
} from "../../actions/access/find-organization.ts";
import { showing } from "../../actions/operator/viewer.ts";
import { findDeletion } from "../../actions/record/find-named-record.ts";
import { listHolds } from "../../actions/retention/holds.ts";
import { formatDuration } from "../../basics/duration.ts";
import type { Organization } from "../../domain/access.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { defineCommand, defineStoreCommand, optional, required } from "../command.ts";
import { confidentialOptions } from "../input/confidential.ts";
import { onOff, text } from "../input/kinds.ts";
import { findMissingStore } from "../new-store.ts";
import { renderHoldsOfRecords, viewHold } from "../output/hold-view.ts";
import {
  describeOrganization,
  formatClosed,
  formatOnOff,
  formatRateLimit,
  viewOrganization,
} from "../output/organization-view.ts";
import { type Column, formatTime, renderTable } from "../output/table.ts";

export const organizationCreate = defineCommand({
  name: "organization create",
  summary: "Create an organization.",
  details: "Also creates the store if there is none, and says where.",
  examples: ['sluice organization create --name "Acme Payments" --id acme'],
  rights: ["organization.create"],
  options: {
    name: required(text("NAME"), "Name of the organization; replies to token requests show it."),
    id: optional(
      text("ID"),
      'Id of 1 to 64 letters, digits, "_", "." or "-"; it must not begin with "." or "-". Default: a random id.',
    ),
    deletionApproval: optional(
      onOff,
      "With on, a deletion is processed only after a second person has approved it.",
    ),
  },
  run: (context, { name, id, deletionApproval }) => {
    const missing = findMissingStore(context);
    return context.withApp(
      async (app) => {
        const organization = await createOrganization(app, {
          name,
          organizationId: id,
          deletionApproval,
        });
        const { organizationId } = organization;
        const created = missing === undefined ? "" : `Created the store ${missing}.\n\n`;
        return {
          json: { organization_id: organizationId, organization_name: organization.name },
          text:
            `${created}${describeOrganization(organization)}\n\n` +
            `Next, create a key for it: sluice key create --organization ${organizationId}`,
        };
      },
      { create: true },
    );
  },
});

const columns: readonly Column<Organization>[] = [
  ["organization", ({ organizationId }) => organizationId],
  ["name", ({ name }) => name],
  ["strict scopes", ({ strictScopes }) => formatOnOff(strictScopes)],
  ["deletion grace", ({ deletionGraceSeconds }) => formatDuration(deletionGraceSeconds * 1_000)],
  ["rate limit", formatRateLimit],
  ["created", ({ createdAt }) => formatTime(createdAt)],
  ["closed", formatClosed],
];

export const organizationList = defineStoreCommand({
  name: "organization list",
  summary: "List all organizations.",
  examples: ["sluice organization list"],
  rights: ["organization.read"],
  restoring: true,
  run: async (app) => {
    const organizations = await listOrganizations(app);
    return {
      json: { organizations: organizations.map(viewOrganization) },
      text:
        organizations.length === 0
          ? "There is no organization yet. Create one with: sluice organization create --name NAME"
          : renderTable(columns, organizations),
    };
  },
});

export const organizationShow = defineStoreCommand({
  name: "organization show",
  summary: "Show an organization, its number of records of each type, and its legal holds.",
  details:
    "Records of confidential types and holds on them are shown only with --include-confidential. So are the records left of a " +
    "closed organization and the progress of its deletion, which waits for confidential records too.",
  examples: ["sluice organization show acme"],
  rights: ["organization.read"],
  arguments: { id: required(text("ID"), "The organization.") },
  options: confidentialOptions,
  run: async (opened, { id, includeConfidential }) => {
    const app = showing(opened, { includeConfidential });
    const organization = await findOrganization(app, id);
    const rows = Object.entries(await countRecords(app, id));
    const table = renderTable(
      [
        ["record type", ([type]: [string, number]) => type],
        ["records", ([, count]) => String(count), { right: true }],
      ],
      rows,
    );
    const { deletionRequestId } = organization;
    const deletion =
      includeConfidential && deletionRequestId && (await findDeletion(app, deletionRequestId));
    const query = { organizationId: id };
    const { shown } = await listHolds(app, query, { limit: holdsShown, examinedMax: Infinity });
    const holds = shown.map(({ hold }) => hold);
    const parts = [
      describeOrganization(organization),
      ...(deletion
        ? [
            `Its deletion is ${describeState(deletion)}: sluice deletion show ${deletionRequestId} --include-confidential`,
          ]
        : []),
      rows.length === 0 ? describeNone(includeConfidential) : table,
      ...(holds.length === 0 ? [] : [renderHoldsOfRecords(holds)]),
      ...(holds.length < holdsShown
        ? []
        : [`All holds: sluice deletion holds --organization ${id}`]),
    ];
    return {
      json: {
        ...viewOrganization(organization),
        deletion_status: deletion ? deletion.status : null,
        records: Object.fromEntries(rows),
        holds: holds.map(viewHold),
      },
      text: parts.join("\n\n"),
    };
  },
});

function describeNone(isComplete: boolean): string {
  return isComplete
    ? "It has no records."
    : "It has no records that are shown without --include-confidential.";
}

function describeState({ status, waitingFor }: Deletion): string {
  return waitingFor === undefined ? status : `${status}, waiting for ${waitingFor}`;
}

/** `deletion holds` lists all. */
const holdsShown = 100;
