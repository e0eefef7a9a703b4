// `sluice organization create`, `list`, `show` and `set`.

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
import { defineCommand, defineStoreCommand, optional, required, flag } from "../command.ts";
import {
  confidentialOptions,
  onOff,
  text,
  duration,
  rateLimit,
  retainDays,
  typeList,
} from "../input/kinds.ts";
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
import type { App } from "../../actions/app.ts";
import { previewRetention } from "../../actions/retention/preview-retention.ts";
import {
  changeOrganization,
  requireFloorsWithin,
} from "../../actions/access/change-organization.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { describePreview } from "../output/retention-view.ts";

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

export const organizationSet = defineStoreCommand({
  name: "organization set",
  summary: "Change an organization. A running server applies the change within 2 seconds.",
  examples: [
    "sluice organization set acme --deletion-grace 24h",
    "sluice organization set acme --strict-scopes on --rate-limit 200",
    "sluice organization set acme --retain-days 1825 --yes",
    "sluice organization set acme --confidential-types transaction_alert,screening",
    "sluice organization set acme --deletion-approval on",
  ],
  rights: ["organization.change", "retention.set", "deletion.require_approval"],
  arguments: { id: required(text("ID"), "The organization.") },
  options: {
    name: optional(text("NAME"), "A new name."),
    strictScopes: optional(
      onOff,
      "With on, transactions:write covers reading and writing transactions only.",
    ),
    deletionGrace: optional(
      duration,
      "How long a deletion waits before it is processed, such as 24h; 0s for no wait.",
    ),
    rateLimit: optional(
      rateLimit,
      "Requests per second, 0 for no limit, or default for the setting of the server.",
    ),
    retainDays: optional(
      retainDays,
      "Delete records that were last seen more than this many days ago, or off to keep them; a shorter time needs --yes.",
    ),
    confidentialTypes: optional(
      typeList,
      "Record types that are confidential besides reports, such as transaction_alert, or none. Callers without the read scope of such a type see nothing of it.",
    ),
    eraseOrphans: optional(
      onOff,
      "With on, a transaction is deleted once every person and company that it names is erased.",
    ),
    deletionApproval: optional(
      onOff,
      "With on, a deletion that is requested from now on is processed only after a second person has approved it. Acts that would remove this protection then need a second person, too.",
    ),
    yes: flag(
      "Confirm the deletions that --retain-days makes due. Without this, the command only lists them.",
    ),
  },
  run: async (app, { id, yes, name, strictScopes, deletionGrace, ...given }) => {
    if (!yes) await requireConfirmed(app, id, given.retainDays);
    const organization = await changeOrganization(app, id, {
      ...(name === undefined ? {} : { name }),
      ...(strictScopes === undefined ? {} : { strictScopes }),
      ...(deletionGrace === undefined ? {} : { deletionGraceSeconds: deletionGrace / 1_000 }),
      ...(given.rateLimit === undefined ? {} : { rateLimitPerSecond: given.rateLimit }),
      ...(given.retainDays === undefined ? {} : { retainDays: given.retainDays }),
      ...(given.confidentialTypes === undefined
        ? {}
        : { confidentialTypes: given.confidentialTypes }),
      ...(given.eraseOrphans === undefined
        ? {}
        : { eraseOrphanedTransactions: given.eraseOrphans }),
      ...(given.deletionApproval === undefined ? {} : { deletionApproval: given.deletionApproval }),
    });
    return { json: viewOrganization(organization), text: describeOrganization(organization) };
  },
});

/** Deletions begin within a minute of the change, so the operator sees first what would be deleted. */
async function requireConfirmed(
  app: App,
  id: string,
  days: number | null | undefined,
): Promise<void> {
  if (days === undefined || days === null) return;
  const organization = await findOrganization(app, id);
  await requireFloorsWithin(app, id, days);
  const { retainDays: before = Number.POSITIVE_INFINITY } = organization;
  if (days >= before) return;
  const wanted = { ...organization, retainDays: days };
  const preview = await previewRetention(showing(app, { includeConfidential: false }), wanted);
  throw new OperatorError(
    "not_confirmed",
    `Nothing was changed. With --retain-days ${days}, a serving process would begin within a minute to permanently ` +
      `delete:\n${describePreview(preview)}\nConfidential records are deleted too, and not listed: see ` +
      "sluice retention preview --days N --include-confidential. Add --yes to confirm.",
  );
}
